<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Cache;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Lock\Lock;

/** The locks of eaccelerator_lock(), which end with the request, and with their process. */
final class Locks
{
    /** @var array<string, Lock> by key and name space, those of this process */
    private static array $held = [];

    /** Whose they are. */
    private static int $process = 0;

    private static ?Cache $engine = null;

    /** Waits as long as it takes. False if no cache is available. */
    public static function acquire(string $key): bool
    {
        $name = Values::name($key);
        if ($name === null || larder_info(false)['available'] !== true) {
            return false;
        }
        self::begin();
        $lock = self::$held[$name] ?? self::engine()->lock($name, Lock::LONGEST, \INF, LockLifetime::Process);
        if ($lock !== null) {
            self::$held[$name] = $lock;
        }

        return $lock !== null;
    }

    /** False if another process holds it. */
    public static function release(string $key): bool
    {
        $name = Values::name($key);
        if ($name === null) {
            return false;
        }
        self::begin();
        $lock = self::$held[$name] ?? null;
        unset(self::$held[$name]);
        if ($lock !== null) {
            return $lock->release();
        }
        $store = self::engine()->store();

        return !$store instanceof LockingStore || $store->holder($name) === null;
    }

    /** After a fork, what the parent holds is not the child's. */
    private static function begin(): void
    {
        if (self::$process !== larder_pid()) {
            self::$process = larder_pid();
            self::$held = [];
            register_shutdown_function(self::releaseAll(...));
        }
    }

    private static function releaseAll(): void
    {
        foreach (self::$process === larder_pid() ? self::$held : [] as $lock) {
            $lock->release();
        }
        self::$held = [];
    }

    private static function engine(): Cache
    {
        return self::$engine ??= Cache::open('larder:?namespace=eaccelerator');
    }
}
