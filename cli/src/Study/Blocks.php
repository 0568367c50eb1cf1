<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;

/** Collects the blocks of a study. */
final class Blocks
{
    /** @var list<ProcessBlock> */
    private array $blocks = [];

    /**
     * @param \Closure(Subject, string): void $notMeasured called for each row that cannot be measured, with the reason
     */
    public function __construct(
        private readonly \Closure $notMeasured,
        private readonly StoreFilter $only = new StoreFilter(),
    ) {}

    /**
     * @param list<array{Subject, Cell}> $figures
     * @param \Closure(): Target $target may throw Unavailable: then none of the figures is measured
     * @param int $nanoseconds see ProcessBlock, like the parameters after it
     * @param positive-int $processes
     * @param \Closure(): void|null $before
     */
    public function add(
        array $figures,
        \Closure $target,
        int $nanoseconds,
        int $processes = 1,
        bool $isPinned = true,
        bool $isOrdered = false,
        ?\Closure $before = null,
    ): void {
        if ($figures === [] || !$this->only->has($figures[0][0]->store)) {
            return;
        }
        $subject = $figures[0][0];

        try {
            $name = \sprintf(
                '%s: %s',
                $subject->table,
                implode(' ', [$subject->name(), ...array_values($subject->settings)]),
            );
            $this->blocks[] = new ProcessBlock(
                $name,
                $figures,
                $target(),
                $nanoseconds,
                $processes,
                $isPinned,
                $isOrdered,
                $before,
            );
        } catch (Unavailable $unavailable) {
            $this->leaveOut($figures, $unavailable->getMessage());
        }
    }

    /**
     * The cells that cannot be measured.
     *
     * @param list<array{Subject, Cell}> $figures
     */
    public function leaveOut(array $figures, string $reason): void
    {
        foreach ($figures as [$subject]) {
            if (!$this->only->has($subject->store)) {
                continue;
            }
            ($this->notMeasured)($subject, $reason);
        }
    }

    /** @return list<ProcessBlock> */
    public function all(): array
    {
        return $this->blocks;
    }
}
