<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** Storing in a loop on the command line. */
final class StoreRows
{
    private const SIZES = [1024, 4096, 16_384, 65_536, 262_144, 1_048_576];
    private const HASHED_SIZES = [100, 1024, 16_384, 65_536, 1_048_576];

    /** Number of keys of the row `fill`, and of keys in one turn of a cache. */
    private const KEYS = 2_000_000;
    private const TURN = 50_000;

    /** @return list<Row> */
    public static function all(): array
    {
        $rows = [
            new Row('store-10', 'store 10 bytes', 'APCu', 0.5, [], static fn(int $rounds): array
                => self::same('x123456789', $rounds)),
        ];
        foreach (self::SIZES as $bytes) {
            $rows[] = new Row(
                'store-' . $bytes,
                \sprintf('store new strings of %d KiB, sweeping the log', $bytes / 1024),
                'APCu',
                0.6,
                [],
                static fn(int $rounds): array => self::sweep($bytes, $rounds),
            );
        }
        foreach (self::HASHED_SIZES as $bytes) {
            $rows[] = new Row(
                'store-hashed-' . $bytes,
                \sprintf('overwrite a string of %s bytes whose hash is known', number_format($bytes)),
                'APCu',
                1.0,
                [],
                static fn(int $rounds): array => self::hashed($bytes, $rounds),
            );
        }
        $rows[] = new Row('fill', 'fill a new segment of 3 GiB with 2,000,000 small keys', 'APCu, entries_hint set', 1.0, [
            'larder.size' => '3G',
            'apc.shm_size' => '3G',
            'apc.entries_hint' => (string) self::KEYS,
        ], self::fill(...));
        foreach (['php' => 0.5, 'default' => 0.25] as $serializer => $bound) {
            $rows[] = new Row(
                'store-table-' . $serializer,
                'store the 50 x 50 array',
                'APCu, ' . $serializer . ' serializer',
                $bound,
                ['apc.serializer' => $serializer],
                static fn(int $rounds): array => self::same(Values::table(), $rounds),
            );
        }
        $rows[] = new Row('store-json', 'store the array as json_decode gives it', 'APCu, php serializer', 0.5, [], static fn(int $rounds): array
            => self::same(Values::decodedTable(), $rounds));

        return $rows;
    }

    /** @return non-empty-list<array{float, float}> */
    public static function same(mixed $value, int $rounds): array
    {
        $ours = static function (int $times) use ($value): void {
            for ($i = 0; $i < $times; $i++) {
                larder_store('figure', $value);
            }
        };
        $theirs = static function (int $times) use ($value): void {
            for ($i = 0; $i < $times; $i++) {
                apcu_store('figure', $value);
            }
        };

        return Pair::measure($ours, $theirs, $rounds);
    }

    /**
     * Stores strings without a hash. There are enough keys to make both caches cycle through all of their memory.
     *
     * @return non-empty-list<array{float, float}>
     */
    private static function sweep(int $bytes, int $rounds): array
    {
        // Fewer bytes than either cache holds, because a full APCu would empty itself.
        $keys = array_map(static fn(int $number): string => 'figure:' . $number, range(0, intdiv(150 << 20, $bytes)));
        $text = Values::text($bytes);
        $ours = static function (int $times) use ($keys, $text): void {
            /** @var int $next */
            static $next = 0;
            for ($i = 0; $i < $times; $i++) {
                $text[0] = 'y'; // drops the string's hash
                larder_store($keys[$next++ % \count($keys)], $text);
            }
        };
        $theirs = static function (int $times) use ($keys, $text): void {
            /** @var int $next */
            static $next = 0;
            for ($i = 0; $i < $times; $i++) {
                $text[0] = 'y';
                apcu_store($keys[$next++ % \count($keys)], $text);
            }
        };
        // Twice, so that both have used all of their memory, and the measurement does not touch new pages.
        $ours(2 * \count($keys));
        $theirs(2 * \count($keys));

        return Pair::measure($ours, $theirs, $rounds);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function hashed(int $bytes, int $rounds): array
    {
        $text = Values::text($bytes);
        $hashed = [$text => true];

        return self::same(array_key_first($hashed), $rounds);
    }

    /**
     * Stores each key once, so the number of keys determines the number of rounds.
     *
     * @return non-empty-list<array{float, float}>
     */
    private static function fill(): array
    {
        $next = [0, 0];
        $turn = static function (int $side, \Closure $store) use (&$next): float {
            $keys = array_map(static fn(int $number): string => 'key:' . $number, range($next[$side], $next[$side] + self::TURN - 1));
            $next[$side] += self::TURN;
            $start = hrtime(true);
            $store(...$keys);

            return (hrtime(true) - $start) / self::TURN;
        };
        $ours = static function (string ...$keys): void {
            foreach ($keys as $key) {
                larder_store($key, 'x123456789');
            }
        };
        $theirs = static function (string ...$keys): void {
            foreach ($keys as $key) {
                apcu_store($key, 'x123456789');
            }
        };

        return Pair::interleave(static fn(): float => $turn(0, $ours), static fn(): float => $turn(1, $theirs), intdiv(self::KEYS, self::TURN));
    }
}
