<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Exception\StoreFailed;
use Larder\Lock\Lock;
use Larder\Process\Pid;

/**
 * The right to compute a value, which one process has at a time: a lock that is released however the computation ends, by
 * an exception or exit() too, and never by a fork of the process that took it.
 */
final class Lease
{
    private readonly int $process;
    private bool $isOpen = true;

    public function __construct(private readonly Lock $lock)
    {
        $this->process = Pid::own();
    }

    public function __destruct()
    {
        $this->release();
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

        try {
            $this->lock->release();
        } catch (StoreFailed) {
            // The server is unreachable: the lease falls by its time, and what was computed is as good.
        }
    }
}
