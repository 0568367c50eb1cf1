<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;

/**
 * Costs of a cache in real requests under PHP-FPM: the first fetch of a request, minus an empty function in the same
 * place, and the one-time costs of a worker. The requests for a pair use one connection, one after the other.
 */
final class Requests
{
    /** Requests of each kind for one pair, because one call takes tens of nanoseconds, less than the clock's noise. */
    private const REQUESTS = 15;

    /**
     * Times one call of the engine, of APCu or of a user function. `before` names the work before it in the request.
     * `warm`: calls of all three with another key, whose entry is in another page. `cold`: more code and data than the
     * processor's caches hold. `attached`: a fetch of another key, so that the worker is attached to the cache.
     */
    private const PAGE = <<<'PHP'
        <?php
        function nothing($argument) { return $argument; }
        ['call' => $call, 'before' => $before] = $_GET;
        if ($before === 'fill') {
            // As in a cache that is in use: the index has its memory, and the two keys lie in different pages.
            $filler = str_repeat('x', 30_000);
            foreach (['page' => 'x123456789', 'a' => $filler, 'b' => $filler, 'c' => $filler, 'other' => 'x123456789', ...array_fill_keys(range(0, 9_999), 1)] as $key => $value) {
                larder_store((string) $key, $value);
                apcu_store((string) $key, $value);
            }
        } elseif ($before === 'warm') {
            for ($i = 0; $i < 100; $i++) {
                larder_fetch('other');
                apcu_fetch('other');
                nothing('other');
                hrtime(true);
            }
        } elseif ($before === 'cold') {
            for ($i = 0; $i < 40; $i++) {
                md5(serialize(range(0, 20_000 + $i)));
                preg_match('/(a|b)*c' . $i . '/', str_repeat('ab', 500));
            }
        } elseif ($before === 'attached') {
            ($call === 'larder' ? 'larder_fetch' : 'apcu_fetch')('other');
        }
        $stores = (int) ($_GET['stores'] ?? 0);
        if ($stores > 0) {
            $store = $call . '_store';
            $new = 'new:' . getmypid() . ':';
            $start = hrtime(true);
            for ($i = 0; $i < $stores; $i++) {
                $value = $store($new . $i, 'x123456789') ? 'x123456789' : null;
            }
            $end = hrtime(true);
        } elseif ($call === 'larder') {
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
        echo $value === 'x123456789' ? ($end - $start) / max(1, $stores) : 'wrong value';
        PHP;

    /** @return list<Row> */
    public static function all(): array
    {
        return [
            new Row('fpm-warm', 'first fetch of a key in an FPM request, warm code', '50 ns', 1.0, [], static fn(int $rounds): array
                => array_map(static fn(array $pair): array => [$pair[0], 50.0], self::fetches($rounds, 'warm'))),
            new Row('fpm-warm-apcu', 'the same', 'APCu', null, [], static fn(int $rounds): array => self::fetches($rounds, 'warm')),
            new Row('fpm-cold', 'first fetch of an FPM request, cold code', 'APCu', 0.6, [], static fn(int $rounds): array => self::fetches($rounds, 'cold')),
            new Row('attach', 'attach and first fetch of a new FPM worker', '100 us', 1.0, [], static fn(int $rounds): array
                => self::ofNewWorkers(static fn(\Closure $ask): float => $ask('larder', 'nothing'), static fn(): float => 100_000.0, $rounds)),
            new Row('store-first', 'the first store of a new FPM worker', 'APCu, as cold', 0.9, [], static fn(int $rounds): array => self::stores($rounds, 1)),
            new Row('store-hundred', 'its first hundred new keys', 'APCu, as cold', null, [], static fn(int $rounds): array => self::stores($rounds, 100)),
        ];
    }

    /** @return non-empty-list<array{float, float}> */
    private static function fetches(int $rounds, string $before): array
    {
        return self::serve([], static function (PhpFpmServer $server, string $page) use ($rounds, $before): array {
            $connection = $server->connect();
            $ask = static fn(string $call): float => self::figure($connection->request(PhpFpmServer::parameters($page, \sprintf('call=%s&before=%s', $call, $before)))->body);
            $measure = static function () use ($ask): array {
                ['nothing' => $base, 'larder' => $larder, 'apcu' => $apcu] = array_map(Statistics::median(...), Timer::interleave([
                    'nothing' => static fn(): float => $ask('nothing'),
                    'larder' => static fn(): float => $ask('larder'),
                    'apcu' => static fn(): float => $ask('apcu'),
                ], self::REQUESTS));

                return [max(1.0, $larder - $base), max(1.0, $apcu - $base)];
            };
            $measure();
            $pairs = array_map($measure, range(1, max(10, intdiv($rounds, 2))));
            $connection->close();

            return $pairs;
        });
    }

    /** @return non-empty-list<array{float, float}> */
    private static function stores(int $rounds, int $stores): array
    {
        return self::ofNewWorkers(
            static fn(\Closure $ask): float => $ask('larder', 'attached', $stores),
            static fn(\Closure $ask): float => $ask('apcu', 'attached', $stores),
            $rounds,
        );
    }

    /**
     * Serves each request by a new worker.
     *
     * @param \Closure(\Closure(string, string, int=): float): float $ours
     * @param \Closure(\Closure(string, string, int=): float): float $theirs
     * @return non-empty-list<array{float, float}>
     */
    private static function ofNewWorkers(\Closure $ours, \Closure $theirs, int $rounds): array
    {
        return self::serve(['pm.max_requests' => 1], static function (PhpFpmServer $server, string $page) use ($ours, $theirs, $rounds): array {
            $ask = static function (string $call, string $before, int $stores = 0) use ($server, $page): float {
                $connection = $server->connect();
                $response = $connection->request(PhpFpmServer::parameters($page, \sprintf('call=%s&before=%s&stores=%d', $call, $before, $stores)));
                $connection->close();

                return self::figure($response->body);
            };

            return Pair::interleave(static fn(): float => $ours($ask), static fn(): float => $theirs($ask), max(20, $rounds));
        });
    }

    private static function figure(string $body): float
    {
        return is_numeric($body) ? (float) $body : throw new \RuntimeException('the page said: ' . $body);
    }

    /**
     * @param array<string, string|int> $directives
     * @param \Closure(PhpFpmServer, string): non-empty-list<array{float, float}> $measure receives server and page
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
            $server->request($page, 'call=nothing&before=fill');

            return $measure($server, $page);
        } finally {
            $server->stop();
            $directory->remove();
        }
    }
}
