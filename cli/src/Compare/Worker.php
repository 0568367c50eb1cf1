<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cache;
use Larder\Cli\Timing\Clock;
use Larder\Contract\Store;
use Larder\Exception\CacheException;

/** The measuring process: takes a Job from its input, prints a Handshake and then one Measurement a line. */
final class Worker
{
    public static function run(): void
    {
        // A garbage collection in a batch would count as time of a random store.
        gc_disable();
        $job = Job::fromLine((string) stream_get_contents(\STDIN));

        try {
            $store = self::open($job->store);
        } catch (CacheException $unavailable) {
            self::say(Handshake::ofThisProcess($unavailable->getMessage())->line());

            return;
        }
        self::say(Handshake::ofThisProcess('')->line());
        $benchmark = new Benchmark($store, $job->budget);
        $values = Value::all();
        if ($job->cells === []) { // asked for the clock's cost, not to measure
            self::say(json_encode(Clock::measure(), \JSON_THROW_ON_ERROR));
        }
        foreach ($job->cells as [$value, $operation]) {
            self::say($benchmark->measure($values[$value], $operation)->line());
        }
    }

    /** @throws CacheException if the store cannot be opened, or its server does not answer */
    public static function open(#[\SensitiveParameter] string $store): Store
    {
        if (is_subclass_of($store, Store::class)) {
            return new $store();
        }
        $cache = Cache::open($store);
        $cache->reach();

        return $cache->store();
    }

    private static function say(string $line): void
    {
        fwrite(\STDOUT, $line . "\n");
    }
}
