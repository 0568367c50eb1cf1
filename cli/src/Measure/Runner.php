<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * Runs blocks in rounds: each round runs every block once, in an order shuffled anew. So what changes during the run (other
 * processes, the processor's clock) meets all blocks alike.
 */
final class Runner
{
    private ?Block $running = null;

    /**
     * @param list<Block> $blocks
     * @param positive-int $rounds
     */
    public function __construct(private readonly array $blocks, private readonly int $rounds) {}

    /**
     * @param \Closure(Sample): void $tell called with each sample
     * @param \Closure(Block, string): void $notMeasured called once for a block that cannot run here, with the reason
     * @param \Closure(int, string): void $progress called with the blocks done and the name of the one that starts
     */
    public function run(\Closure $tell, \Closure $notMeasured, \Closure $progress): void
    {
        $blocks = $this->blocks;
        $done = 0;
        for ($round = 1; $round <= $this->rounds; ++$round) {
            shuffle($blocks);
            foreach ($blocks as $i => $block) {
                $progress($done, $block->name());
                $this->running = $block;

                try {
                    $this->runOnce($block, $tell);
                    ++$done;
                } catch (Unavailable $unavailable) {
                    $notMeasured($block, $unavailable->getMessage());
                    unset($blocks[$i]);
                    $done += $this->rounds - $round + 1;
                } finally {
                    $this->running = null;
                }
            }
        }
    }

    /** Ends what is running. */
    public function stop(): void
    {
        $this->running?->stop();
    }

    /** @param \Closure(Sample): void $tell */
    private function runOnce(Block $block, \Closure $tell): void
    {
        $outstanding = [];
        foreach ($block->subjects() as $subject) {
            $outstanding[$subject->key()] = $subject;
        }
        $block->run(static function (Sample $sample) use (&$outstanding, $tell): void {
            unset($outstanding[$sample->subject->key()]);
            $tell($sample);
        });
        foreach ($outstanding as $subject) {
            $tell(Sample::failed($subject, 'gave no figure'));
        }
    }
}
