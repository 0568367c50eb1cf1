<?php

declare(strict_types=1);

namespace Larder\Cli\Operator;

use Larder\Cli\Inspect\Activity;
use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Engine;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\History;
use Larder\Cli\Inspect\Keys;
use Larder\Cli\Inspect\Prediction;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\Inspect\Text;
use Larder\Internal\Driver\Engine\Names;
use Larder\Internal\Driver\Engine\Segments;
use Larder\Internal\Process\User;

/**
 * Answers a request for the operator's page. Nothing in the request chooses a cache: it is that of the pool. No value
 * is read. Keys may hold what their owner would not show, so no more than 40 characters of them leave the server.
 *
 * @phpstan-type Data array{
 *     where: string,
 *     hint: string,
 *     verdict: array{word: string, sentence: string, kind: 'good'|'warn'|'bad'|''},
 *     now: array{
 *         segment: string,
 *         hit_rate: float|null,
 *         hit_rate_ever: float|null,
 *         per_second: array{gets: float, stores: float, evictions: float},
 *         size: int,
 *         free: float,
 *         entries: int,
 *         held: int,
 *         oldest: float,
 *         removed: array{expired: int, deletes: int, clears: int},
 *         evicted_read: float|null,
 *         evicted_within: int|null,
 *         sizes: list<array{size: int, hit_rate: float}>,
 *         holders: list<array{pid: int, bytes: int, command: string}>,
 *     },
 *     evicted: int,
 *     evicted_ages: list<int>,
 *     history: list<array{from: int, to: int, gets: int, hits: int, evicted: int}>,
 *     all: int,
 *     prefixes: list<array{prefix: string, entries: int, bytes: int, read: int, oldest: int, often: int, begin: string}>,
 *     more: int,
 *     prefix: string,
 *     keys: list<array{key: string, size: int, age: int, ttl: float, read: bool, id: string}>,
 *     found: int,
 *     links: array<array-key, string>,
 * }
 */
final class Page
{
    private const PREFIXES = 12;
    private const KEYS = 20;
    private const WIDTH = 40;
    /** Of a searched prefix that comes back in a header, whose length is limited. */
    private const LONGEST = 1000;
    /** Between the two looks that give the rates of now. */
    private const MICROSECONDS = 250_000;

    public static function answer(): void
    {
        if (headers_sent()) {
            echo 'Something else in this pool has printed before this page (auto_prepend_file?), so it cannot send its '
                . 'headers.';

            return;
        }
        $nonce = base64_encode(random_bytes(18));
        header("Content-Security-Policy: default-src 'none'; style-src 'nonce-$nonce'; form-action 'self'; "
            . "base-uri 'none'; frame-ancestors 'none'");
        header('Cache-Control: no-store');
        header('Referrer-Policy: no-referrer');
        header('X-Content-Type-Options: nosniff');
        header('X-Robots-Tag: noindex, nofollow');
        header('Content-Type: text/html; charset=utf-8');

        $login = Login::configured();
        if (\is_string($login)) {
            http_response_code(503);
            echo Html::document($nonce, Html::stop('No password', $login));

            return;
        }
        $cookie = self::sent($_COOKIE, Login::COOKIE);
        $isPost = ($_SERVER['REQUEST_METHOD'] ?? '') === 'POST';
        if (!$login->accepts($cookie)) {
            self::logIn($login, $nonce, $isPost);

            return;
        }
        $token = $login->sign("form $cookie");
        if ($isPost) {
            self::change($token);

            return;
        }
        $whyNot = Engine::whyNotShown();
        if ($whyNot !== '') {
            http_response_code(503);
            echo Html::document($nonce, Html::stop('No cache', $whyNot));

            return;
        }
        $data = self::data($token, self::sent($_GET, 'prefix'));
        if (self::sent($_GET, 'json') !== '') {
            header('Content-Type: application/json');
            unset($data['links']);
            $isShown = static fn(array $row): array => array_diff_key($row, ['begin' => 0]);
            $data['prefixes'] = array_map($isShown, $data['prefixes']);
            $data['keys'] = array_map(static fn(array $key): array => array_diff_key($key, ['id' => 0]), $data['keys']);
            echo Text::json($data);

            return;
        }
        echo Html::document($nonce, Html::page($data, $token));
    }

    private static function logIn(Login $login, string $nonce, bool $isPost): void
    {
        if (Engine::whyNot() !== '') {
            http_response_code(503);
            $sentence = 'No cache is available in this pool, so attempts to log in cannot be counted, and nobody can '
                . 'log in. In the shell: larder doctor';
            echo Html::document($nonce, Html::stop('No cache', $sentence));

            return;
        }
        $cookie = $isPost ? $login->attempt(self::sent($_POST, 'password'), self::sent($_SERVER, 'REMOTE_ADDR')) : null;
        if ($cookie !== null) {
            self::setCookie($cookie);
            self::goTo('');

            return;
        }
        http_response_code(403);
        echo Html::document($nonce, Html::login($isPost));
    }

    private static function change(string $token): void
    {
        if (!hash_equals($token, self::sent($_POST, 'token'))) {
            http_response_code(403);
            echo 'This form is of another login. Load the page again.';

            return;
        }
        if (isset($_POST['logout'])) {
            self::setCookie('');
            self::goTo('');

            return;
        }
        $asked = self::sent($_POST, 'id');
        $names = Names::ofSegment();
        foreach (new \LarderIterator() as $stored => $info) {
            if (hash_equals(self::id($token, $stored), $asked) && $names->of($stored) !== Names::LIBRARY) {
                larder_delete($stored);

                break;
            }
        }
        self::goTo(substr(self::sent($_POST, 'prefix'), 0, self::LONGEST));
    }

    /** @return Data */
    private static function data(string $token, string $prefix): array
    {
        $before = Counters::read();
        usleep(self::MICROSECONDS);
        $now = Counters::read();
        $prediction = Prediction::read();
        $activity = Activity::between($before, $now, $prediction);
        [$groups] = Prefixes::all();
        $history = History::until($now);
        History::note($now);
        $rows = [];
        foreach (\array_slice($groups, 0, self::PREFIXES, true) as $group => $sums) {
            $group = (string) $group;
            $rows[] = ['prefix' => Text::utf8(Text::key($group, self::WIDTH))]
                + array_combine(['entries', 'bytes', 'read', 'oldest', 'often'], $sums)
                + ['begin' => preg_match('/^.{1,40}/su', $group, $cut) === 1 ? $cut[0] : substr($group, 0, self::WIDTH)];
        }
        $found = Keys::find($prefix, self::KEYS);
        $beside = ini_get('larder.segment') . '.apcu';
        $isEmpty = $activity['entries'] === 0 && isset(Segments::all()[(int) User::id()][$beside]);

        $php = \PHP_MAJOR_VERSION . '.' . \PHP_MINOR_VERSION;

        return [
            'where' => User::name() . ", segment {$activity['segment']}, PHP $php",
            'hint' => $isEmpty ? "This segment is empty. Beside it, $beside has the entries of the module apcu." : '',
            'verdict' => self::verdict($now, $groups, $prediction),
            'now' => $activity,
            'evicted' => $now->evicted,
            'evicted_ages' => $now->ages,
            'history' => $history,
            'all' => array_sum(array_column($groups, 1)),
            'prefixes' => $rows,
            'more' => max(0, \count($groups) - self::PREFIXES),
            'prefix' => Text::utf8($prefix),
            'keys' => array_map(static fn(array $row): array => [
                'key' => Text::utf8(Text::key($row[0], self::WIDTH)),
                'size' => $row[1]['size'],
                'age' => $row[1]['age'],
                'ttl' => $row[1]['ttl'],
                'read' => $row[1]['used'],
                'id' => self::id($token, $row[2]),
            ], $found['entries']),
            'found' => $found['count'],
            'links' => self::links(),
        ];
    }

    /**
     * @param array<array-key, array{int, int, int, int, int}> $groups
     * @return array{word: string, sentence: string, kind: 'good'|'warn'|'bad'|''}
     */
    private static function verdict(Counters $now, array $groups, ?Prediction $prediction): array
    {
        $health = Health::ofSegment($now, static fn(): array => $groups, $prediction);

        return ['word' => $health->word, 'sentence' => $health->sentence, 'kind' => match ($health->word) {
            Health::POLLUTED => 'bad',
            Health::TOO_SMALL => 'warn',
            Health::NO_VERDICT => $health->isIll ? 'warn' : '',
            default => 'good',
        }];
    }

    /** @return array<array-key, string> other pages, from the pool's configuration: "shop=/shop/larder blog=…" */
    private static function links(): array
    {
        preg_match_all('~([^\s=]+)=((?:https?://|/(?![/\\\\]))\S*)~', (string) getenv('LARDER_PAGE_LINKS'), $links);

        return array_combine($links[1], $links[2]);
    }

    /** Stands for a key in a form, so that the page does not hold the whole key. */
    private static function id(string $token, string $stored): string
    {
        return substr(hash_hmac('sha256', $stored, $token), 0, 32);
    }

    private static function setCookie(string $cookie): void
    {
        // A client that lies about its proxy only loses its own cookie.
        $isHttps = self::sent($_SERVER, 'HTTPS') !== '' && self::sent($_SERVER, 'HTTPS') !== 'off'
            || self::sent($_SERVER, 'HTTP_X_FORWARDED_PROTO') === 'https';
        setcookie(Login::COOKIE, $cookie, [
            'expires' => $cookie === '' ? 1 : 0, // that of the cookie itself is signed
            'path' => self::sent($_SERVER, 'SCRIPT_NAME'),
            'secure' => $isHttps,
            'httponly' => true,
            'samesite' => 'Strict',
        ]);
    }

    private static function goTo(string $prefix): void
    {
        http_response_code(303);
        header('Location: ?' . ($prefix === '' ? '' : 'prefix=' . rawurlencode($prefix)));
    }

    /** @param array<array-key, mixed> $from a client may send an array, too */
    private static function sent(array $from, string $name): string
    {
        return \is_string($from[$name] ?? null) ? $from[$name] : '';
    }
}
