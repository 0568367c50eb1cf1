<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

use Larder\Cli\Timing\Statistics;

/**
 * Runs blocks in rounds: each round runs every block once, in a newly shuffled order. So a change during the run (other
 * processes, the processor's clock) affects all blocks alike.
 *
 * A block whose subjects have all failed does not run again, as a row with a failure has no figure. A server that has
 * stopped would otherwise cost its full timeout in each round.
 */
final class Runner
{
    private ?Block $running = null;

    /** Number of blocks that must have run before the remaining time is estimated. */
    private const FEWEST_TIMES = 5;

    /**
     * @var array<string, float> seconds that the latest run of each block took, by its name; the first run may include
     *         preparation
     */
    private array $seconds = [];

    /** @var array<string, array<string, true>> subjects that have failed, by the name of their block */
    private array $failed = [];

    /**
     * @param list<Block> $blocks
     * @param positive-int $rounds
     * @param Journal|null $journal holds samples of an interrupted run, and receives new ones
     */
    public function __construct(
        private readonly array $blocks,
        private readonly int $rounds,
        private readonly ?Journal $journal = null,
    ) {}

    /** Number of runs of all blocks together. */
    public function steps(): int
    {
        return $this->rounds * \count($this->blocks);
    }

    /**
     * @param \Closure(Sample): void $tell called with each sample
     * @param \Closure(Block, string): void $notMeasured called once for a block that cannot run here, with the reason
     * @param \Closure(int, string, ?float): void $progress called with the steps done, the name of the next block, and
     *         the seconds left; null while they are unknown
     */
    public function run(\Closure $tell, \Closure $notMeasured, \Closure $progress): void
    {
        /** @var array<string, Block> $blocks */
        $blocks = array_combine(
            array_map(static fn(Block $block): string => $block->name(), $this->blocks),
            $this->blocks,
        );
        if (\count($blocks) !== \count($this->blocks)) {
            throw new \LogicException('Two blocks have the same name.');
        }
        $done = 0;
        $measured = [];
        for ($round = 1; $round <= $this->rounds; ++$round) {
            $toRun = [];
            foreach ($blocks as $name => $block) {
                $samples = $this->journal?->samples($round, $block);
                if ($samples === null) {
                    $toRun[] = $name;
                    continue;
                }
                array_map($tell, $samples);
                $measured[$name] = true;
                ++$done;
                if ($this->isLost($block, $samples)) {
                    unset($blocks[$name]);
                    $done += $this->rounds - $round;
                }
            }
            shuffle($toRun);
            foreach ($toRun as $i => $name) {
                $block = $blocks[$name];
                $progress($done, $name, $this->secondsLeft($blocks, \array_slice($toRun, $i), $this->rounds - $round));
                $this->running = $block;

                try {
                    $start = hrtime(true);
                    $samples = $this->runOnce($block, isset($measured[$name]), $tell);
                    $this->seconds[$name] = (hrtime(true) - $start) / 1e9;
                    $this->journal?->add($round, $block, $samples);
                    $measured[$name] = true;
                    ++$done;
                    if ($this->isLost($block, $samples)) {
                        unset($blocks[$name], $this->seconds[$name]); // its time is not typical either
                        $done += $this->rounds - $round;
                    }
                } catch (Unavailable $unavailable) {
                    $notMeasured($block, $unavailable->getMessage());
                    unset($blocks[$name]);
                    $done += $this->rounds - $round + 1;
                }
                $this->running = null; // if a signal handler throws, stop() ends the block
            }
        }
        $progress($done, '', 0.0);
    }

    /** Ends what is running. */
    public function stop(): void
    {
        $this->running?->stop();
    }

    /**
     * @param bool $wasMeasured true if an earlier round measured it: then an unavailable store has failed
     * @param \Closure(Sample): void $tell
     * @return list<Sample>
     */
    private function runOnce(Block $block, bool $wasMeasured, \Closure $tell): array
    {
        $outstanding = $samples = [];
        foreach ($block->subjects() as $subject) {
            $outstanding[$subject->key()] = $subject;
        }
        $problem = 'gave no figure';

        try {
            $block->run(static function (Sample $sample) use (&$outstanding, &$samples, $tell): void {
                unset($outstanding[$sample->subject->key()]);
                $samples[] = $sample;
                $tell($sample);
            });
        } catch (Unavailable $unavailable) {
            if (!$wasMeasured) {
                throw $unavailable;
            }
            $problem = 'can no longer be opened: ' . $unavailable->getMessage();
        }
        foreach ($outstanding as $subject) {
            $samples[] = Sample::failed($subject, $problem);
            $tell(end($samples));
        }

        return $samples;
    }

    /**
     * True if all subjects of the block have failed so far.
     *
     * @param list<Sample> $samples
     */
    private function isLost(Block $block, array $samples): bool
    {
        foreach ($samples as $sample) {
            if ($sample->failures > 0) {
                $this->failed[$block->name()][$sample->subject->key()] = true;
            }
        }

        return \count($this->failed[$block->name()] ?? []) === \count($block->subjects());
    }

    /**
     * Assumes that a block that has not run yet takes the median time of its kind, or else of all blocks.
     *
     * @param array<string, Block> $blocks by name
     * @param list<string> $ofThisRound blocks that this round has still to run
     */
    private function secondsLeft(array $blocks, array $ofThisRound, int $roundsAfterThis): ?float
    {
        if (\count($this->seconds) < min(self::FEWEST_TIMES, \count($blocks))) {
            return null;
        }
        $byKind = [];
        foreach (array_intersect_key($blocks, $this->seconds) as $name => $block) {
            $byKind[self::kind($block)][] = $this->seconds[$name];
        }
        $typical = array_map(Statistics::median(...), $byKind);
        $any = $this->seconds === [] ? 0.0 : Statistics::median(array_values($this->seconds));
        $times = array_count_values($ofThisRound);
        $left = 0.0;
        foreach ($blocks as $name => $block) {
            $left += ($roundsAfterThis + ($times[$name] ?? 0))
                * ($this->seconds[$name] ?? $typical[self::kind($block)] ?? $any);
        }

        return $left;
    }

    /** Blocks of the same table run the same operations on different stores. */
    private static function kind(Block $block): string
    {
        return $block::class . ' ' . $block->subjects()[0]->table;
    }
}
