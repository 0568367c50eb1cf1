<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/**
 * The throughput of two processes on two cores, relative to each process alone. It is compared with a loop that shares
 * nothing. The difference is the cost that the processes cause each other.
 */
final class Readers
{
    private const CALLS = 1000;
    private const SECONDS = 0.3;

    /** @return list<Row> */
    public static function all(): array
    {
        $alone = 'a loop that shares nothing';

        return [
            new Row('readers', 'two readers on two cores: gain over one', $alone, 0.95, [], static fn(int $rounds): array => self::measure([self::read(...), self::read(...)], $rounds), least: true),
            new Row('reader-writer', 'a reader beside a writer of another key: gain', $alone, 0.95, [], static fn(int $rounds): array => self::measure([self::read(...), self::write(...)], $rounds), least: true),
        ];
    }

    /**
     * @param array{\Closure(int): int, \Closure(int): int} $works
     * @return non-empty-list<array{float, float}>
     */
    private static function measure(array $works, int $rounds): array
    {
        larder_store('read', 'x123456789');

        return Pair::interleave(
            static fn(): float => self::gain($works),
            static fn(): float => self::gain([self::nothing(...), self::nothing(...)]),
            max(5, intdiv($rounds, 4)),
        );
    }

    /** @param array{\Closure(int): int, \Closure(int): int} $works */
    private static function gain(array $works): float
    {
        [$one, $other] = self::speeds($works);

        return $one / self::speeds([$works[0]])[0] + $other / self::speeds([$works[1]])[0];
    }

    /**
     * @param non-empty-list<\Closure(int): int> $works
     * @return non-empty-list<float> calls a second
     */
    private static function speeds(array $works): array
    {
        return array_column(Throughput::of($works, self::CALLS, self::SECONDS), 0);
    }

    private static function read(): int
    {
        for ($i = 0; $i < self::CALLS; $i++) {
            larder_fetch('read');
        }

        return 0;
    }

    private static function write(): int
    {
        for ($i = 0; $i < self::CALLS; $i++) {
            larder_store('written', 'x123456789');
        }

        return 0;
    }

    private static function nothing(int $made): int
    {
        $length = 0;
        for ($i = 0; $i < self::CALLS; $i++) {
            $length += \strlen('nothing' . ($made + $i));
        }

        return $length > 0 ? 0 : 1;
    }
}
