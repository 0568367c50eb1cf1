<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Timer;

/** Fetching in a loop on the command line. */
final class FetchRows
{
    /** @return list<Row> */
    public static function all(): array
    {
        return [
            new Row('fetch-10', 'fetch 10 bytes', 'APCu', 0.25, [], static fn(int $rounds): array
                => self::pair('larder_fetch', 'apcu_fetch', 'x123456789', $rounds)),
            new Row('fetch-64k', 'fetch a string of 64 KiB', 'our own 10 bytes', 1.1, [], static fn(int $rounds): array
                => self::againstTen(Values::text(65_536), $rounds)),
            new Row('fetch-table', 'fetch the 50 x 50 array', 'our own 10 bytes', 1.1, [], static fn(int $rounds): array
                => self::againstTen(Values::table(), $rounds)),
            new Row('fetch-table-php', 'fetch the 50 x 50 array', 'APCu, php serializer', 1 / 3000, [], static fn(int $rounds): array
                => self::pair('larder_fetch', 'apcu_fetch', Values::table(), $rounds)),
            new Row(
                'fetch-table-igbinary',
                'fetch the 50 x 50 array',
                'APCu, igbinary',
                null,
                ['apc.serializer' => 'igbinary'],
                static fn(int $rounds): array => self::pair('larder_fetch', 'apcu_fetch', Values::table(), $rounds),
            ),
            new Row('fetch-table-file', 'fetch the 50 x 50 array', 'include of an opcached PHP file', null, [], self::file(...)),
            new Row('fetch-random', 'fetch a random key of 100,000', 'APCu', 0.6, [], self::random(...)),
            new Row('fetch-first', 'the first fetch of each of 50,000 keys', 'APCu, entries_hint set', 1.0, ['apc.entries_hint' => '50000'], self::first(...)),
            new Row('call', 'fetch 10 bytes', 'an empty function of one argument', null, [], static fn(int $rounds): array
                => self::pair('larder_fetch', __NAMESPACE__ . '\nothing', 'x123456789', $rounds)),
        ];
    }

    /** @return non-empty-list<array{float, float}> */
    private static function pair(string $ours, string $theirs, mixed $value, int $rounds): array
    {
        larder_store('figure', $value);
        apcu_store('figure', $value);
        if (larder_fetch('figure') !== $value || apcu_fetch('figure') !== $value) {
            throw new \RuntimeException('a value came back changed');
        }

        return Pair::measure(self::loop($ours), self::loop($theirs), $rounds);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function againstTen(mixed $value, int $rounds): array
    {
        larder_store('figure', $value);
        larder_store('ten', 'x123456789');
        $ten = static function (int $times): void {
            for ($i = 0; $i < $times; $i++) {
                larder_fetch('ten');
            }
        };

        return Pair::measure(self::loop('larder_fetch'), $ten, $rounds);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function file(int $rounds): array
    {
        $directory = new TemporaryDirectory('/dev/shm');
        $file = $directory->path . '/table.php';
        file_put_contents($file, '<?php return ' . var_export(Values::table(), true) . ';');
        touch($file, time() - 60); // opcache does not cache new files
        larder_store('figure', Values::table());
        if ((include $file) !== larder_fetch('figure') || !opcache_is_script_cached($file)) {
            throw new \RuntimeException('the file is not in opcache, or returns another value');
        }
        $include = static function (int $times) use ($file): void {
            for ($i = 0; $i < $times; $i++) {
                include $file;
            }
        };
        try {
            return Pair::measure(self::loop('larder_fetch'), $include, $rounds);
        } finally {
            $directory->remove();
        }
    }

    /** @return \Closure(int): void compiled like a call in a script */
    private static function loop(string $function): \Closure
    {
        return match ($function) {
            'larder_fetch' => static function (int $times): void {
                for ($i = 0; $i < $times; $i++) {
                    larder_fetch('figure');
                }
            },
            'apcu_fetch' => static function (int $times): void {
                for ($i = 0; $i < $times; $i++) {
                    apcu_fetch('figure');
                }
            },
            default => static function (int $times): void {
                for ($i = 0; $i < $times; $i++) {
                    $nothing = nothing('figure');
                }
            },
        };
    }

    /** @return non-empty-list<array{float, float}> */
    private static function random(int $rounds): array
    {
        $keys = array_map(static fn(int $number): string => 'figure:' . $number, range(0, 99_999));
        foreach ($keys as $key) {
            larder_store($key, 'x123456789');
            apcu_store($key, 'x123456789');
        }
        shuffle($keys);
        $ours = static function (int $times) use ($keys): void {
            for ($i = 0; $i < $times; $i++) {
                larder_fetch($keys[$i]);
            }
        };
        $theirs = static function (int $times) use ($keys): void {
            for ($i = 0; $i < $times; $i++) {
                apcu_fetch($keys[$i]);
            }
        };

        // a batch fetches each key once
        return Pair::measure($ours, $theirs, intdiv($rounds, 4) + 1, new Timer(\PHP_INT_MAX, \count($keys)));
    }

    /**
     * Stores the keys again before each round. Makes few rounds in a process, because values stay pinned on the command
     * line.
     *
     * @return non-empty-list<array{float, float}>
     */
    private static function first(int $rounds): array
    {
        $keys = array_map(static fn(int $number): string => 'figure:' . $number, range(0, 49_999));
        shuffle($keys);
        $ours = static function () use ($keys): float {
            foreach ($keys as $key) {
                larder_store($key, 'x123456789');
            }
            $start = hrtime(true);
            foreach ($keys as $key) {
                larder_fetch($key);
            }

            return (hrtime(true) - $start) / \count($keys);
        };
        $theirs = static function () use ($keys): float {
            foreach ($keys as $key) {
                apcu_store($key, 'x123456789');
            }
            $start = hrtime(true);
            foreach ($keys as $key) {
                apcu_fetch($key);
            }

            return (hrtime(true) - $start) / \count($keys);
        };

        return Pair::interleave($ours, $theirs, min($rounds, 4));
    }
}

/** An empty function, to measure the cost of a call. */
function nothing(string $argument): string
{
    return $argument;
}
