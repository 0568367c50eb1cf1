<?php

declare(strict_types=1);

namespace Larder;

use Larder\Exception\StoreFailed;
use Larder\Store\Capability\Locks;
use Larder\Store\ReservedKey;

/**
 * The right to compute a value, which one process has at a time: a lock that is released however the computation ends, by
 * an exception or exit() too, and never by a fork of the process that took it.
 */
final class Lease
{
    /** @var array<string, array{string, int}> key and process by token: what this process has, whichever object asked for it */
    private static array $held = [];

    private readonly int $process;
    private bool $isOpen = true;

    public function __construct(private readonly Lock $lock)
    {
        $this->process = Pid::own();
        self::$held[$lock->token] = [$lock->key, $this->process];
    }

    public function __destruct()
    {
        $this->release();
    }

    /**
     * Whether the lease that another has is this process's own: asked for within its own computation, by another object.
     * The same key in another store is another: only the store knows whether the token is that of its lease.
     *
     * @param Recipe<mixed> $recipe
     */
    public static function isOfThisProcess(Locks $store, Recipe $recipe): bool
    {
        $key = self::$held === [] ? '' : ReservedKey::lease($recipe->key);
        foreach (self::$held as $token => [$held, $process]) {
            if ($held === $key && $process === Pid::own() && $store->renew($key, $token, (float) $recipe->lease)) {
                return true;
            }
        }

        return false;
    }

    /** @return bool false when another may have it by now */
    public function renew(float $seconds): bool
    {
        return $this->isOpen && $this->lock->renew($seconds);
    }

    public function release(): void
    {
        if (!$this->isOpen || $this->process !== Pid::own()) {
            return;
        }
        $this->isOpen = false;
        unset(self::$held[$this->lock->token]);

        try {
            $this->lock->release();
        } catch (StoreFailed) {
            // The server is away: the lease falls by its time, and what was computed is as good.
        }
    }
}
