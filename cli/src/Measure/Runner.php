<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * Runs blocks in rounds: each round runs every block once, in a newly shuffled order. So what changes during the run (other
 * processes, the processor's clock) meets all blocks alike.
 */
final class Runner
{
    private ?Block $running = null;

    /** @var array<string, non-empty-list<float>> seconds that each block took, by its name */
    private array $seconds = [];

    /**
     * @param list<Block> $blocks
     * @param positive-int $rounds
     * @param Journal|null $journal of the samples already taken, and those to come
     */
    public function __construct(private readonly array $blocks, private readonly int $rounds, private readonly ?Journal $journal = null) {}

    /** How many times a block runs. */
    public function steps(): int
    {
        return $this->rounds * \count($this->blocks);
    }

    /**
     * @param \Closure(Sample): void $tell called with each sample
     * @param \Closure(Block, string): void $notMeasured called once for a block that cannot run here, with the reason
     * @param \Closure(int, string, ?float): void $progress called with the steps done, the name of the block that starts, and
     *                                                      the seconds left; null while that cannot be known
     */
    public function run(\Closure $tell, \Closure $notMeasured, \Closure $progress): void
    {
        /** @var array<string, Block> $blocks */
        $blocks = array_combine(array_map(static fn(Block $block): string => $block->name(), $this->blocks), $this->blocks);
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
            }
            shuffle($toRun);
            foreach ($toRun as $i => $name) {
                $block = $blocks[$name];
                $progress($done, $name, $this->secondsLeft(array_slice($toRun, $i), array_keys($blocks), $this->rounds - $round));
                $this->running = $block;

                try {
                    $start = hrtime(true);
                    $samples = $this->runOnce($block, isset($measured[$name]), $tell);
                    $this->seconds[$name][] = (hrtime(true) - $start) / 1e9;
                    $this->journal?->add($round, $block, $samples);
                    $measured[$name] = true;
                    ++$done;
                } catch (Unavailable $unavailable) {
                    $notMeasured($block, $unavailable->getMessage());
                    unset($blocks[$name]);
                    $done += $this->rounds - $round + 1;
                }
                $this->running = null; // an exception of a signal's handler leaves it to stop()
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
     * @param bool $wasMeasured in another round: then it was there, and has failed now
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
     * @param list<string> $ofThisRound the blocks that it has still to run
     * @param list<string> $ofEach
     */
    private function secondsLeft(array $ofThisRound, array $ofEach, int $roundsAfterThis): ?float
    {
        if ($this->seconds === []) {
            return null;
        }
        $means = array_map(static fn(array $seconds): float => array_sum($seconds) / \count($seconds), $this->seconds);
        $mean = array_sum($means) / \count($means);
        $left = 0.0;
        foreach ($ofThisRound as $name) {
            $left += $means[$name] ?? $mean;
        }
        foreach ($ofEach as $name) {
            $left += $roundsAfterThis * ($means[$name] ?? $mean);
        }

        return $left;
    }
}
