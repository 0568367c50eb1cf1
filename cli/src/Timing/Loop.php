<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/** Work given as a closure whose results need no check. */
final class Loop implements Work
{
    /**
     * @param \Closure(int): void $loop
     * @param \Closure(int): void $empty
     */
    private function __construct(private readonly \Closure $loop, private readonly \Closure $empty) {}

    /**
     * @param \Closure(int): void $loop does the work this many times, so that the call is compiled as in a script of
     *         its own
     */
    public static function of(\Closure $loop): self
    {
        return new self($loop, static function (int $times): void {
            for ($i = 0; $i < $times; ++$i) {
            }
        });
    }

    /** @param \Closure(): mixed $call does the work once */
    public static function calling(\Closure $call): self
    {
        return new self(self::repeat($call), self::repeat(static fn(): mixed => null));
    }

    /**
     * @param \Closure(): mixed $call
     * @return \Closure(int): void
     */
    private static function repeat(\Closure $call): \Closure
    {
        return static function (int $times) use ($call): void {
            for ($i = 0; $i < $times; ++$i) {
                $call();
            }
        };
    }

    public function prepare(int $times): void {}

    public function runEmpty(int $times): void
    {
        ($this->empty)($times);
    }

    public function run(int $times): void
    {
        ($this->loop)($times);
    }

    public function check(): void {}
}
