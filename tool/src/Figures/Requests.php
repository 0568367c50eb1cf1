<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

use Larder\Tool\Php;
use Larder\Tool\Server\PhpFpmPool;
use Larder\Tool\Server\PhpFpmServer;
use Larder\Tool\TemporaryDirectory;

/** The first fetch of a real request under PHP-FPM, less a function that does nothing in the same place. */
final class Requests
{
    /**
     * Times one call of ours, of APCu's and of a user function. `code` says what ran before it in the request: `warm`,
     * calls of all three with another key, whose entry lies in another page; `cold`, more code and data than the
     * processor's caches hold.
     */
    private const PAGE = <<<'PHP'
        <?php
        function nothing($argument) { return $argument; }
        if ($_GET['store'] ?? false) {
            foreach (['page' => 'x123456789', 'filler' => str_repeat('x', 30_000), 'more' => str_repeat('x', 30_000), 'other' => 'x123456789'] as $key => $value) {
                larder_store($key, $value);
                apcu_store($key, $value);
            }
        }
        if ($_GET['code'] === 'warm') {
            for ($i = 0; $i < 100; $i++) {
                larder_fetch('other');
                apcu_fetch('other');
                nothing('other');
                hrtime(true);
            }
        } elseif ($_GET['code'] === 'cold') {
            for ($i = 0; $i < 40; $i++) {
                md5(serialize(range(0, 20_000 + $i)));
                preg_match('/(a|b)*c' . $i . '/', str_repeat('ab', 500));
            }
        }
        $call = $_GET['call'];
        if ($call === 'larder') {
            $start = hrtime(true);
            $value = larder_fetch('page');
            $end = hrtime(true);
        } elseif ($call === 'apcu') {
            $start = hrtime(true);
            $value = apcu_fetch('page');
            $end = hrtime(true);
        } else {
            $start = hrtime(true);
            $value = nothing('x123456789');
            $end = hrtime(true);
        }
        echo $value === 'x123456789' ? $end - $start : 'wrong value';
        PHP;

    /** @return list<Row> */
    public static function all(): array
    {
        return [
            new Row('fpm-warm', 'first fetch of a key in an FPM request, warm code', '50 ns', 1.0, [], static fn(int $rounds): array
                => array_map(static fn(array $pair): array => [$pair[0], 50.0], self::first($rounds, 'warm'))),
            new Row('fpm-warm-apcu', 'the same', 'APCu', null, [], static fn(int $rounds): array => self::first($rounds, 'warm')),
            new Row('fpm-cold', 'first fetch of an FPM request, cold code', 'APCu', 0.6, [], static fn(int $rounds): array => self::first($rounds, 'cold')),
            new Row('attach', 'attach and first fetch of a new FPM worker', '100 us', 1.0, [], self::attach(...)),
        ];
    }

    /** @return non-empty-list<array{float, float}> */
    private static function first(int $rounds, string $code): array
    {
        return self::serve([], static fn(\Closure $ask): array => array_map(static function () use ($ask, $code): array {
            $nothing = $ask('nothing', $code);

            return [max(1.0, $ask('larder', $code) - $nothing), max(1.0, $ask('apcu', $code) - $nothing)];
        }, range(1, max(20, $rounds))));
    }

    /** @return non-empty-list<array{float, float}> */
    private static function attach(int $rounds): array
    {
        // Each request has a worker of its own.
        return self::serve(['pm.max_requests' => 1], static fn(\Closure $ask): array
            => array_map(static fn(): array => [$ask('larder', 'none'), 100_000.0], range(1, max(20, $rounds))));
    }

    /**
     * @param array<string, string|int> $directives
     * @param \Closure(\Closure(string, string): float): non-empty-list<array{float, float}> $measure
     * @return non-empty-list<array{float, float}>
     */
    private static function serve(array $directives, \Closure $measure): array
    {
        $directory = new TemporaryDirectory();
        $page = $directory->path . '/page.php';
        file_put_contents($page, self::PAGE);
        $engine = getenv(Php::ENGINE_VARIABLE);
        $server = PhpFpmServer::start(
            $directory->path . '/fpm',
            ['opcache.enable' => 1, ...Engine::settings()],
            $engine === false ? [] : [$engine],
            [new PhpFpmPool(directives: $directives)],
        );
        try {
            $server->request($page, 'store=1&call=nothing&code=none');

            return $measure(static function (string $call, string $code) use ($server, $page): float {
                $body = $server->request($page, \sprintf('call=%s&code=%s', $call, $code))->body;
                if (!is_numeric($body)) {
                    throw new \RuntimeException('the page said: ' . $body);
                }

                return (float) $body;
            });
        } finally {
            $server->stop();
            $directory->remove();
        }
    }
}
