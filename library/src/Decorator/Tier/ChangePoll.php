<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Exception\StoreFailed;

/**
 * Asks the shared tier what was changed, once for all processes of the host: while a lease lasts none asks, and then one.
 * The others serve copies meanwhile, for as long again at most, should the one that asks be killed.
 */
final class ChangePoll
{
    private const SHORTEST_LEASE = 0.001;

    /** @param float $seconds between two polls; 0.0 for a shared tier that nobody else writes to: it is never asked */
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

    /**
     * Now, lease or none, and whether or not another process does.
     *
     * @return array{int, int} as LocalCopies::lease()
     */
    public function ask(): array
    {
        $start = hrtime(true);
        $epoch = $this->copies->epoch();
        $seen = $this->copies->seen();

        try {
            $head = $this->log->head() ?? throw StoreFailed::because('tier', 'the shared tier does not answer');
            $changes = $seen === null ? null : $this->log->between($seen, $head);
        } catch (StoreFailed) {
            // Copies go on alone while it is unreachable, for their time to live.
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
        // What was changed after the head was read is not known yet: so long is the lease shorter.
        $this->copies->grant($epoch, $head, max(self::SHORTEST_LEASE, $this->seconds - (hrtime(true) - $start) / 1e9));

        return [$epoch, $head];
    }
}
