<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Activity;
use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\Prediction;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\Inspect\Prometheus;
use Larder\Cli\Inspect\ServerEntries;
use Larder\Cli\Inspect\Text;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Terminal as Size;

/**
 * `larder top`: hits, memory, evictions and the largest prefixes of the engine, again every two seconds until Ctrl-C;
 * once with --once, --json and --prometheus, and where the output is no terminal.
 *
 * @phpstan-import-type Figures from ServerEntries
 * @phpstan-type OfServer array{server: string, hit_rate: float|null, hit_rate_ever: float|null,
 *     per_second: array{gets: float, stores: float|null, evictions: float}, used: int, limit: int, entries: int, evicted: int}
 */
#[AsCommand('top', 'Watch hits, memory and evictions (--once)')]
final class TopCommand extends InspectCommand
{
    /** Between two screens; of --once, before its screen. */
    private const SECONDS = 2.0;
    private const SECONDS_ONCE = 1.0;
    private const WIDTH = 79;
    private const HOLDERS = 3;
    /** Lines of a screen that show no prefix. */
    private const OTHER_LINES = 26;
    private const CLEAR = "\e[H\e[J";

    protected function configure(): void
    {
        parent::configure();
        $this->setHelp(<<<'HELP'
            With --json: "segment", "hit_rate" (of the last second), "hit_rate_ever", "per_second" ("gets", "stores" and
            "evictions"), "size", "free" (a share of it), "entries", "held" (bytes, by readers), "oldest" (seconds),
            "removed" ("expired", "deletes", "clears"), "evicted_read" (the share that had been read), "evicted_within" (seconds),
            "sizes" ("size" and its "hit_rate", as predicted; none at first), "holders" ("pid", "bytes", "command").
            For a server: "server", "hit_rate", "hit_rate_ever", "per_second", "used", "limit" (bytes; 0: none), "entries",
            "evicted". What is not known is null.
            HELP);
        $this->addOption('once', null, InputOption::VALUE_NONE, 'Show it once, after a second');
        $prometheus = 'Print the figures once, in Prometheus\' text format';
        $this->addOption('prometheus', null, InputOption::VALUE_NONE, $prometheus);
    }

    /** Prometheus gets an answer, `larder_up 0`, where there is no cache to inspect. */
    protected function initialize(InputInterface $input, OutputInterface $output): void
    {
        $isOfEngine = $input->getOption('dsn') === self::ENGINE && $input->getOption('fcgi') === null;
        if ($isOfEngine && $input->getOption('prometheus') === true) {
            $output->write(Prometheus::text(), false, OutputInterface::OUTPUT_RAW);
        }
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        $server = $cache === null ? null : $this->server($input);
        $isForPrometheus = $input->getOption('prometheus') === true;
        if ($cache !== null && ($server === null || $isForPrometheus)) {
            return $this->fail($output, $server === null
                ? 'Only the engine, and a Redis or memcached server without namespace=, count what all processes do'
                : 'The engine has figures for Prometheus; exporters of their own have those of servers');
        }
        if ($isForPrometheus) {
            return self::SUCCESS; // initialize() has printed them
        }
        $isJson = $input->getOption('json') === true;
        $isOnce = $isJson || $input->getOption('once') === true || !stream_isatty(\STDOUT);
        $prefixes = $isOnce ? 10 : max(1, (new Size())->getHeight() - self::OTHER_LINES);
        $look = $server === null ? self::atEngine($prefixes, Screen::columns($output) === null) : self::atServer($server);
        while (true) {
            usleep((int) (1e6 * ($isOnce ? self::SECONDS_ONCE : self::SECONDS)));
            [$data, $screen] = $look();
            if ($isJson) {
                $output->writeln(Text::json($data), OutputInterface::OUTPUT_RAW);
            } else {
                $every = \sprintf('every %.0f s', self::SECONDS);
                $end = $isOnce ? [] : ['', 'Ctrl-C ends.' . str_pad($every, self::WIDTH - 12, ' ', \STR_PAD_LEFT)];
                $output->write($isOnce ? '' : self::CLEAR, false, OutputInterface::OUTPUT_RAW);
                $output->writeln([...$screen(), ...$end], OutputInterface::OUTPUT_RAW);
            }
            if ($isOnce) {
                return self::SUCCESS;
            }
        }
    }

    /** @return \Closure(): array{array<string, mixed>, \Closure(): list<string>} figures since the last call; as a screen */
    private static function atEngine(int $prefixes, bool $isWhole): \Closure
    {
        $before = Counters::read();

        return static function () use (&$before, $prefixes, $isWhole): array {
            $now = Counters::read();
            $prediction = Prediction::read();
            $data = Activity::between($before, $now, $prediction);
            $before = $now;

            return [$data, static fn(): array => self::screen($data, $now, $prediction, $prefixes, $isWhole)];
        };
    }

    /** @return \Closure(): array{array<string, mixed>, \Closure(): list<string>} as atEngine() */
    private static function atServer(ServerEntries $server): \Closure
    {
        $before = [hrtime(true), $server->figures()];

        return static function () use (&$before, $server): array {
            $now = [hrtime(true), $server->figures()];
            $data = self::dataOfServer($before, $now);
            $before = $now;

            return [$data, static fn(): array => self::screenOfServer($data)];
        };
    }

    /**
     * @param array{int, Figures} $before
     * @param array{int, Figures} $now
     * @return OfServer
     */
    private static function dataOfServer(array $before, array $now): array
    {
        $seconds = max(1e-3, ($now[0] - $before[0]) / 1e9);
        [, $before] = $before;
        [, $now] = $now;
        $hits = $now['hits'] - $before['hits'];
        $gets = $hits + $now['misses'] - $before['misses'];
        $ever = $now['hits'] + $now['misses'];

        return [
            'server' => Text::utf8($now['version']),
            'hit_rate' => $gets <= 0 ? null : fdiv($hits, $gets),
            'hit_rate_ever' => $ever === 0 ? null : fdiv($now['hits'], $ever),
            'per_second' => [
                'gets' => $gets / $seconds,
                'stores' => $now['stores'] === null ? null : ($now['stores'] - (int) $before['stores']) / $seconds,
                'evictions' => ($now['evicted'] - $before['evicted']) / $seconds,
            ],
            'used' => $now['bytes'],
            'limit' => $now['limit'],
            'entries' => $now['entries'],
            'evicted' => $now['evicted'],
        ];
    }

    /**
     * @param OfServer $data
     * @return list<string>
     */
    private static function screenOfServer(array $data): array
    {
        ['gets' => $gets, 'stores' => $stores, 'evictions' => $evictions] = $data['per_second'];

        return [
            Text::key($data['server'], self::WIDTH),
            '',
            self::hits($data['hit_rate'], $data['hit_rate_ever'], 'since the server started'),
            \sprintf('Rates    %s gets/s, ', number_format($gets))
                . ($stores === null ? '' : \sprintf('%s stores/s, ', number_format($stores)))
                . \sprintf('%s evictions/s', number_format($evictions)),
            \sprintf(
                'Memory   %s, %s; %s',
                Helper::formatMemory($data['used']),
                $data['limit'] === 0 ? 'no limit' : 'of ' . Helper::formatMemory($data['limit']),
                Text::entries($data['entries']),
            ),
            'Evicted  ' . ($data['evicted'] === 0 ? 'nothing' : number_format($data['evicted'])),
        ];
    }

    private static function hits(?float $rate, ?float $ever, string $since): string
    {
        return \sprintf(
            'Hits     %s, %s %s',
            $rate === null ? 'no gets now' : \sprintf('%.1f %% now', 100 * $rate),
            $ever === null ? 'none' : \sprintf('%.1f %%', 100 * $ever),
            $since,
        );
    }

    /**
     * @param array{
     *     hit_rate: float|null,
     *     hit_rate_ever: float|null,
     *     per_second: array{gets: float, stores: float, evictions: float},
     *     size: int,
     *     free: float,
     *     entries: int,
     *     held: int,
     *     sizes: list<array{size: int, hit_rate: float}>,
     *     holders: list<array{pid: int, bytes: int, command: string}>,
     * } $data of Activity
     * @param bool $isWhole as in Prefixes::row()
     * @return list<string>
     */
    private static function screen(
        array $data,
        Counters $now,
        ?Prediction $prediction,
        int $number,
        bool $isWhole,
    ): array {
        $rate = $data['per_second'];
        $within = $now->evictedWithin();
        [$groups, [$library], [$cleared]] = Prefixes::all();
        $verdict = Health::ofSegment($now, static fn(): array => $groups, $prediction);
        $title = \sprintf('%s, PHP %d.%d', self::where(), \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
        $lines = [
            $title . str_pad(date('j M, H:i:s'), max(1, self::WIDTH - Helper::width($title)), ' ', \STR_PAD_LEFT),
            ...explode("\n", wordwrap("$verdict->word. $verdict->sentence", self::WIDTH)),
            '',
            self::hits($data['hit_rate'], $data['hit_rate_ever'], 'since the cache was created'),
            \sprintf(
                'Rates    %s gets/s, %s stores/s, %s evictions/s',
                ...array_map(static fn(float $figure): string => number_format($figure), array_values($rate)),
            ),
            \sprintf(
                'Memory   %s, %s; %s; readers hold %s',
                Helper::formatMemory($data['size']),
                $data['free'] < 0.01 ? 'full' : \sprintf('%.0f %% free', 100 * $data['free']),
                Text::entries($data['entries']),
                Helper::formatMemory($data['held']),
            ),
            $now->evicted === 0
                ? 'Evicted  nothing'
                : \sprintf('Evicted  %s', number_format($now->evicted)) . ($now->evictedRead() === null ? '' : \sprintf(
                    '; about %.0f %% had been read; half was stored or moved %s before',
                    100 * $now->evictedRead(),
                    $within === null ? 'over 4 h' : 'less than ' . Text::time($within),
                )),
            \sprintf(
                'Besides  %s expired, %s deleted, and cleared %s times',
                number_format($now->expired),
                number_format($now->deletes),
                number_format($now->clears),
            ),
            ...self::sizes($data['sizes']),
            '',
            Prefixes::head(),
        ];
        $all = array_sum(array_column($groups, 1));
        foreach (\array_slice($groups, 0, $number, true) as $prefix => $group) {
            $lines[] = Prefixes::row((string) $prefix, $group, $all, $isWhole);
        }
        if ($library + $cleared > 0) {
            $lines[] = \sprintf(
                'Besides: %s of the library, %s left by clear().',
                Text::entries($library),
                Text::entries($cleared),
            );
        }
        foreach (\array_slice($data['holders'], 0, self::HOLDERS) as $i => $holder) {
            array_push($lines, ...($i === 0 ? ['', '      PID   HOLDS MEMORY   PROCESS'] : []));
            $memory = Helper::formatMemory($holder['bytes']);
            $lines[] = \sprintf('%9d   %12s   %s', $holder['pid'], $memory, Text::key($holder['command'], 45));
        }

        return $lines;
    }

    /**
     * @param list<array{size: int, hit_rate: float}> $sizes
     * @return list<string>
     */
    private static function sizes(array $sizes): array
    {
        $lines = ['Size    ', 'Hits    '];
        foreach ($sizes as ['size' => $size, 'hit_rate' => $hitRate]) {
            $lines[0] .= \sprintf('%10s', Prediction::memory($size));
            $lines[1] .= \sprintf('%8.0f %%', 100 * $hitRate);
        }

        return $sizes === [] ? [] : ['', ...$lines];
    }
}
