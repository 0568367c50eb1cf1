<?php

declare(strict_types=1);

namespace Larder\Dev\Figures;

/** Storing in a loop on the command line. */
final class StoreRows
{
    private const SIZES = [1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

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
        $rows[] = new Row('store-hashed', 'store a hashed literal of 16 KiB', 'APCu', null, [], self::hashed(...));
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
    private static function same(mixed $value, int $rounds): array
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
     * Every store brings a string that was never hashed, under one of so many keys that both caches go round through
     * all of their memory.
     *
     * @return non-empty-list<array{float, float}>
     */
    private static function sweep(int $bytes, int $rounds): array
    {
        // Fewer bytes than either cache holds: APCu is not driven into emptying itself.
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
        // Twice, so that both have been through all of their memory and no page is touched for the first time.
        $ours(2 * \count($keys));
        $theirs(2 * \count($keys));

        return Pair::measure($ours, $theirs, $rounds);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function hashed(int $rounds): array
    {
        $text = Values::text(16_384);
        larder_fetch($text); // as a key it was hashed once

        return self::same($text, $rounds);
    }
}
