<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier;

use Larder\Exception\StoreFailed;

/**
 * Asks the shared tier for its changes, one process for the whole host. While a lease lasts, no process asks; after it,
 * one process does. The others then serve copies, for the time of another lease at most, in case the asking process is
 * killed.
 */
final class ChangePoll
{
    private const SHORTEST_LEASE = 0.001;

    /** @param float $seconds between two polls; 0.0 for a shared tier with no other writers: it is never asked */
    public function __construct(
        private readonly LocalCopies $copies,
        private readonly ChangeLog $log,
        private readonly float $seconds,
    ) {}

    /** @return array{int, int} as LocalCopies::lease() */
    public function lease(): array
    {
        if ($this->seconds === 0.0) {
            $epoch = $this->copies->epoch();
            $this->copies->grant($epoch, 0, 0.0);

            return [$epoch, 0];
        }
        if (!$this->copies->beginAsking($this->seconds)) {
            return $this->copies->state();
        }

        try {
            return $this->ask();
        } finally {
            $this->copies->endAsking();
        }
    }

    /** @return array{int, int} as lease(), and asks even if there is a lease, or another process asks */
    public function ask(): array
    {
        $start = hrtime(true);
        $epoch = $this->copies->epoch();
        $seen = $this->copies->seen();

        try {
            $head = $this->log->head() ?? throw StoreFailed::because('tier', 'the shared tier does not answer');
            $changes = $seen === null ? null : $this->log->between($seen, $head);
        } catch (StoreFailed) {
            // While it is unreachable, copies are served until their own end.
            $this->copies->grant($epoch, $seen ?? 0, $this->seconds);

            return [$epoch, $seen ?? 0];
        }
        foreach ($changes ?? [] as $number => $parts) {
            foreach ($parts as $part) {
                $this->copies->dropOlder($part, $number);
            }
        }
        if ($changes === null) {
            $epoch = $this->copies->voidAll($head);
        } elseif ($changes !== []) {
            $this->copies->note($head);
        }
        // Changes after the head was read are still unknown, so the time since then is subtracted from the lease.
        $seconds = $this->seconds - (hrtime(true) - $start) / 1e9;
        $this->copies->grant($epoch, $head, max(self::SHORTEST_LEASE, $seconds));

        return [$epoch, $head];
    }
}
