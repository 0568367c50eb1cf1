<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cache;
use Larder\Cli\Compare\Value;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\TemporaryDirectory;

/**
 * The cost that the library adds to a bare client. One get or set, over a private server's socket or a file in memory,
 * is compared with the client alone. Both use the same serializer and no compression.
 */
final class ClientRows
{
    private const VALUES = ['10b', '1k', '64k', 'array of 4', '50 x 50 array'];
    /** Values for which the serializer matters. */
    private const ARRAYS = ['array of 4', '50 x 50 array'];

    /** @return list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach (['redis' => BareClient::redis(...), 'memcached' => BareClient::memcached(...), 'file' => BareClient::file(...)] as $store => $start) {
            foreach (self::VALUES as $name) {
                foreach (['get', 'set'] as $operation) {
                    $rows[] = self::row($store, $start, 'php', $name, $operation);
                    if (\in_array($name, self::ARRAYS, true)) {
                        $rows[] = self::row("$store-igbinary", $start, 'igbinary', $name, $operation);
                    }
                }
            }
        }

        return $rows;
    }

    /**
     * @param \Closure(TemporaryDirectory, 'php'|'igbinary'): BareClient $start
     * @param 'php'|'igbinary' $serializer
     */
    private static function row(string $place, \Closure $start, string $serializer, string $name, string $operation): Row
    {
        return new Row(
            \sprintf('%s-%s-%s', $place, $operation, strtr($name, ' ', '-')),
            \sprintf('Cache::%s over %s, %s', $operation, strtr($place, ['-' => ' with ']), $name),
            'the bare client',
            1.05,
            [],
            static fn(int $rounds): array => self::measure(
                static fn(TemporaryDirectory $directory): BareClient => $start($directory, $serializer),
                $operation,
                Value::all()[$name]->make(0),
                $rounds,
            ),
            more: 500.0,
        );
    }

    /**
     * @param \Closure(TemporaryDirectory): BareClient $start
     * @return non-empty-list<array{float, float}>
     */
    private static function measure(\Closure $start, string $operation, mixed $value, int $rounds): array
    {
        // Client and server share a core, because a round trip on two cores differs from one on one core by a factor of
        // five.
        CpuAffinity::pin();
        $directory = new TemporaryDirectory('/dev/shm');
        $bare = null;
        try {
            $bare = $start($directory);
            $cache = Cache::open($bare->address);
            $cache->set('figure', $value);
            ($bare->sets)($value)(1);
            if ($cache->get('figure') !== $value || ($bare->value)() !== $value) {
                throw new \RuntimeException('the value came back changed');
            }

            return $operation === 'get'
                ? Pair::measure(self::gets($cache), $bare->gets, $rounds)
                : Pair::measure(self::sets($cache, $value), ($bare->sets)($value), $rounds);
        } finally {
            $bare?->stop();
            $directory->remove();
        }
    }

    /** @return \Closure(int): void */
    private static function gets(Cache $cache): \Closure
    {
        return static function (int $times) use ($cache): void {
            for ($i = 0; $i < $times; $i++) {
                $cache->get('figure');
            }
        };
    }

    /** @return \Closure(int): void */
    private static function sets(Cache $cache, mixed $value): \Closure
    {
        return static function (int $times) use ($cache, $value): void {
            for ($i = 0; $i < $times; $i++) {
                $cache->set('figure', $value);
            }
        };
    }
}
