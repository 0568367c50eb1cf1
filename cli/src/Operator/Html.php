<?php

declare(strict_types=1);

namespace Larder\Cli\Operator;

use Larder\Cli\Inspect\Prediction;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\Inspect\Text;
use Symfony\Component\Console\Helper\Helper;

/**
 * The HTML of the operator's page, without a script and without another file.
 *
 * @phpstan-import-type Data from Page
 */
final class Html
{
    public static function document(string $nonce, string $body): string
    {
        $css = (string) file_get_contents(__DIR__ . '/page.css');

        return <<<HTML
            <!doctype html>
            <html lang="en">
            <head>
                <meta charset="utf-8">
                <meta name="robots" content="noindex">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>Larder</title>
                <style nonce="$nonce">$css</style>
            </head>
            <body>$body</body>
            </html>

            HTML;
    }

    public static function stop(string $title, string $sentence): string
    {
        return self::verdict('bad', $title, $sentence);
    }

    public static function login(bool $isAgain): string
    {
        $again = $isAgain ? '<p role="alert">Not this one, or too many attempts in 10 minutes.</p>' : '';

        return <<<HTML
            <section class="login"><h1>Larder</h1>$again
                <form method="post" action="?">
                    <p><label>Password of this page
                        <input type="password" name="password" autocomplete="current-password" autofocus required>
                    </label><button>Log in</button></p>
                </form>
            </section>
            HTML;
    }

    /** @param Data $data */
    public static function page(array $data, string $token): string
    {
        $hidden = '<input type="hidden" name="token" value="' . self::text($token) . '">';
        $links = '';
        foreach ($data['links'] as $name => $url) {
            $links .= ' <a href="' . self::text($url) . '">' . self::text((string) $name) . '</a>';
        }
        $where = self::text($data['where']);
        $time = date('j M, H:i:s');
        $verdict = $data['verdict'];
        $history = self::history($data['history']);
        $ages = self::ages($data['evicted_ages']);

        return <<<HTML
            <header><h1>Larder</h1><span>$where</span>
                <span class="quiet">$time <a href="?">Refresh</a>$links</span>
                <form method="post" action="?">$hidden<button name="logout" value="1">Log out</button></form>
            </header>
            HTML
            . ($data['hint'] === '' ? '' : self::stop('Look beside it', $data['hint']))
            . self::verdict($verdict['kind'], $verdict['word'], $verdict['sentence'])
            . self::tiles($data)
            . "<div class=\"grid two\">$history$ages</div>"
            . self::sizes($data['now']['sizes'], $data['now']['size'])
            . self::prefixes($data)
            . self::keys($data, $hidden)
            . self::holders($data['now']['holders']);
    }

    private static function verdict(string $kind, string $word, string $sentence): string
    {
        $word = self::text($word);
        $sentence = self::text($sentence);

        return "<section class=\"verdict $kind\"><b>$word</b><p>$sentence</p></section>";
    }

    /** @param Data $data */
    private static function tiles(array $data): string
    {
        $now = $data['now'];
        $rate = array_map(static fn(float $each): string => number_format($each), $now['per_second']);
        $within = $now['evicted_within'];
        $ever = $now['hit_rate_ever'];
        $median = $now['evicted_read'] === null ? '–' : ($within === null ? '> 4 h' : '< ' . Text::time($within));
        $free = $now['free'] < 0.01 ? 'full' : \sprintf('%.0f %% free', 100 * $now['free']);
        $entries = number_format($now['entries']);
        $held = Helper::formatMemory($now['held']);
        $evicted = number_format($data['evicted']);
        $removed = array_map(number_format(...), $now['removed']);
        $besides = "; expired: {$removed['expired']}, deleted: {$removed['deletes']}, cleared {$removed['clears']} times";

        return '<div class="grid">' . self::tile(
            'Hits since the cache was made',
            $ever === null ? '–' : \sprintf('%.1f %%', 100 * $ever),
            $ever === null ? '' : self::bar($ever, $ever < 0.5 ? 'low' : ''),
            'now: ' . ($now['hit_rate'] === null ? 'no gets' : \sprintf('%.1f %%', 100 * $now['hit_rate'])),
        ) . self::tile(
            'Memory',
            Helper::formatMemory($now['size']),
            self::bar(1 - $now['free'], 'full'),
            "$free; $entries entries; readers hold $held",
        ) . self::tile(
            'Half of the evicted were here for',
            $median,
            '',
            $now['evicted_read'] === null
                ? "nothing was evicted for memory$besides"
                : \sprintf("%s evicted; %.0f %% had been read$besides", $evicted, 100 * $now['evicted_read']),
        ) . self::tile(
            'Gets a second, now',
            $rate['gets'],
            '',
            "{$rate['stores']} stores/s, {$rate['evictions']} evictions/s",
        ) . '</div>';
    }

    private static function tile(string $title, string $figure, string $bar, string $more): string
    {
        $figure = self::text($figure);
        $more = self::text($more);

        return "<section class=\"tile\"><small>$title</small><strong>$figure</strong>$bar"
            . "<small>$more</small></section>";
    }

    /** @param list<array{from: int, to: int, gets: int, hits: int, evicted: int}> $spans */
    private static function history(array $spans): string
    {
        $spans = array_values(array_filter($spans, static fn(array $span): bool => $span['gets'] > 0));
        if ($spans === []) {
            return <<<'HTML'
                <section><h2>Hits over time</h2>
                    <p class="quiet">Each request for this page or metrics.php adds a sample, at most one a minute. Come
                    back in a minute. A cache that keeps nothing for so long keeps no samples either.</p>
                </section>
                HTML;
        }
        $from = $spans[0]['from'];
        $to = $spans[\count($spans) - 1]['to'];
        $x = static fn(int $time): string => \sprintf('%.1f', 1000 * ($time - $from) / max(1, $to - $from));
        $line = $over = '';
        foreach ($spans as $span) {
            $y = \sprintf('%.1f', 100 - 100 * $span['hits'] / $span['gets']);
            $line .= ($line === '' ? 'M' : 'L') . "{$x($span['from'])},{$y}H{$x($span['to'])}";
            $seconds = max(1, $span['to'] - $span['from']);
            $title = \sprintf(
                '%s to %s: %.1f %% of %s gets/s; %s evictions/s',
                date('H:i', $span['from']),
                date('H:i', $span['to']),
                100 * $span['hits'] / $span['gets'],
                number_format($span['gets'] / $seconds),
                number_format($span['evicted'] / $seconds),
            );
            $width = \sprintf('%.1f', 1000 * $seconds / max(1, $to - $from));
            $over .= self::hover("x=\"{$x($span['from'])}\" width=\"$width\"", $title);
        }
        $begin = date('H:i', $from);
        $end = date('H:i', $to);
        $area = "{$line}V100H{$x($from)}Z";

        return <<<HTML
            <section><h2>Hits over time</h2>
                <div class="plot">
                    <div class="y quiet"><span>100 %</span><span>50</span><span>0</span></div>
                    <svg class="chart" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"
                        aria-label="Share of gets that hit">
                        <path class="area" d="$area"/><path class="line" d="$line"/>$over
                    </svg>
                    <div class="x quiet"><span>$begin</span><span>$end</span></div>
                </div>
            </section>
            HTML;
    }

    /** @param list<int> $ages */
    private static function ages(array $ages): string
    {
        $most = max([0, ...$ages]);
        $title = '<h2>Time in the cache before eviction</h2>';
        if ($most === 0) {
            return "<section>$title<p class=\"quiet\">Nothing was evicted for memory.</p></section>";
        }
        $bars = '';
        foreach ($ages as $i => $entries) {
            $height = 100 * $entries / $most;
            $end = $i < \count($ages) - 1 ? 'under ' . Text::time(2 ** $i) : 'longer';
            $place = \sprintf('x="%d" y="%.1f" height="%.1f"', 10 * $i + 1, 100 - $height, $height);
            $bars .= "<rect class=\"ages\" width=\"8\" $place/>"
                . self::hover(\sprintf('x="%d" width="10"', 10 * $i), "$end: " . number_format($entries));
        }

        return <<<HTML
            <section>$title
                <svg class="chart" viewBox="0 0 160 100" preserveAspectRatio="none" role="img"
                    aria-label="Evicted entries by time since they were stored or moved">$bars</svg>
                <div class="x quiet">
                    <span>1 s</span><span>8 s</span><span>1 min</span><span>9 min</span><span>over 4 h</span>
                </div>
            </section>
            HTML;
    }

    /** @param list<array{size: int, hit_rate: float}> $sizes */
    private static function sizes(array $sizes, int $here): string
    {
        $rows = '';
        foreach ($sizes as ['size' => $size, 'hit_rate' => $hitRate]) {
            $memory = Prediction::memory($size) . ($size === $here ? ', as now' : '');
            $bar = self::bar($hitRate);
            $percent = \sprintf('%.1f %%', 100 * $hitRate);
            $rows .= "<tr><td>$memory</td><td class=\"wide\">$bar</td><td class=\"number\">$percent</td></tr>";
        }

        return $rows === '' ? '' : <<<HTML
            <section><h2>Hits with another size</h2>
                <table>$rows</table>
            </section>
            HTML;
    }

    /** A column of a chart that says more when the mouse is over it. */
    private static function hover(string $place, string $title): string
    {
        return "<rect class=\"over\" y=\"0\" height=\"100\" $place><title>$title</title></rect>";
    }

    /** @param Data $data */
    private static function prefixes(array $data): string
    {
        $rows = '';
        foreach ($data['prefixes'] as $row) {
            $share = $row['bytes'] / max(1, $data['all']);
            $isUnread = Prefixes::isMuchAndHardlyRead(
                [$row['entries'], $row['bytes'], $row['read'], $row['oldest'], $row['often']],
                $data['all'],
            );
            $begin = rawurlencode($row['begin']);
            $prefix = self::text($row['prefix']);
            $bar = self::bar($share, $isUnread ? 'low' : '');
            $percent = Text::percent($row['bytes'], $data['all']);
            $size = Helper::formatMemory($row['bytes']);
            $entries = number_format($row['entries']);
            $read = Text::percent($row['read'], $row['entries']);
            $oldest = Text::time($row['oldest']);
            $bad = $isUnread ? ' bad' : '';
            $rows .= <<<HTML
                <tr>
                    <td class="name"><a href="?prefix=$begin#keys">$prefix</a></td>
                    <td class="wide">$bar</td><td class="number">$percent</td>
                    <td class="number">$size</td><td class="number less">$entries</td>
                    <td class="number$bad">$read</td><td class="number less">$oldest</td>
                </tr>
                HTML;
        }
        $more = $data['more'] === 0 ? '' : '<p class="quiet">' . number_format($data['more']) . ' more</p>';

        return <<<HTML
            <section><h2>Prefixes of keys</h2>
                <div class="scroll"><table>
                    <tr><th>Prefix</th><th colspan="2">Of the memory</th><th class="number">Size</th>
                        <th class="number less">Entries</th><th class="number">Read</th>
                        <th class="number less">Oldest</th></tr>
                    $rows
                </table></div>$more
            </section>
            HTML;
    }

    /** @param Data $data */
    private static function keys(array $data, string $hidden): string
    {
        $prefix = self::text($data['prefix']);
        $rows = '';
        foreach ($data['keys'] as $row) {
            $key = self::text($row['key']);
            $size = Helper::formatMemory($row['size']);
            $age = Text::time($row['age']);
            $expires = $row['ttl'] === 0.0 ? 'never' : Text::time($row['ttl']);
            $read = $row['read'] ? 'yes' : 'no';
            $rows .= <<<HTML
                <tr>
                    <td class="name">$key</td><td class="number">$size</td>
                    <td class="number less">$age</td><td class="number less">$expires</td>
                    <td class="number less">$read</td>
                    <td class="number"><details name="delete"><summary>Delete…</summary>
                        <form method="post" action="?">$hidden<input type="hidden" name="prefix" value="$prefix">
                            <button class="danger" name="id" value="{$row['id']}">Yes, delete it</button></form>
                    </details></td>
                </tr>
                HTML;
        }
        $found = number_format($data['found']);

        return <<<HTML
            <section id="keys"><h2>Largest keys</h2>
                <form class="search" action="?#keys">
                    <input name="prefix" value="$prefix" placeholder="beginning of a key"
                        aria-label="Beginning of the key"><button>Search</button>
                    <span class="quiet">$found found</span>
                </form>
                <div class="scroll"><table>
                    <tr><th>Key</th><th class="number">Size</th><th class="number less">Age</th>
                        <th class="number less">Expires in</th><th class="number less">Read</th><th></th></tr>
                    $rows
                </table></div>
            </section>
            HTML;
    }

    /** @param list<array{pid: int, bytes: int, command: string}> $holders */
    private static function holders(array $holders): string
    {
        $title = '<h2>Processes that hold memory</h2>';
        if ($holders === []) {
            return "<section>$title<p class=\"quiet\">None but the one that answers.</p></section>";
        }
        $rows = '';
        foreach ($holders as $holder) {
            $size = Helper::formatMemory($holder['bytes']);
            $command = self::text(Text::key($holder['command'], 60));
            $rows .= "<tr><td>{$holder['pid']}</td><td class=\"number\">$size</td>"
                . "<td class=\"name\">$command</td></tr>";
        }

        return <<<HTML
            <section>$title
                <div class="scroll"><table>
                    <tr><th>PID</th><th class="number">Holds</th><th>Process</th></tr>
                    $rows
                </table></div>
            </section>
            HTML;
    }

    private static function bar(float $share, string $kind = ''): string
    {
        $width = \sprintf('%.1f', 100 * min(1, max(0, $share)));

        return "<svg class=\"bar $kind\" viewBox=\"0 0 100 7\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            . "<rect width=\"$width\" height=\"7\"/></svg>";
    }

    /** A visitor who can choose keys can put HTML into them. */
    private static function text(string $text): string
    {
        return htmlspecialchars($text, \ENT_QUOTES | \ENT_SUBSTITUTE | \ENT_HTML5, 'UTF-8');
    }
}
