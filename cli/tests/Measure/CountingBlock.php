<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Measure;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/** A block whose figure is the number of its runs. */
final class CountingBlock implements Block
{
    public int $runs = 0;
    public bool $isStopped = false;

    /**
     * @param \Throwable|null $throws in each run from $from on
     * @param int $from the first run that throws
     * @param float $seconds duration of a run
     */
    public function __construct(
        private readonly string $store,
        private readonly ?\Throwable $throws = null,
        private readonly int $from = 1,
        private readonly float $seconds = 0.0,
    ) {}

    public function name(): string
    {
        return $this->store;
    }

    public function subjects(): array
    {
        return [new Subject('compare', $this->store, null, '1k', 1000, 'get')];
    }

    public function run(\Closure $tell): void
    {
        ++$this->runs;
        usleep((int) (1e6 * $this->seconds));
        if ($this->throws !== null && $this->runs >= $this->from) {
            throw $this->throws;
        }
        $tell(new Sample($this->subjects()[0], (float) $this->runs));
    }

    public function stop(): void
    {
        $this->isStopped = true;
    }
}
