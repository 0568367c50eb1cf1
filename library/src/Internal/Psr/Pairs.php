<?php

declare(strict_types=1);

namespace Larder\Internal\Psr;

/**
 * Results by key, in the order asked, for any number of walks. Every key is a string, also "7", which would be an
 * integer in an array.
 *
 * @template-covariant T
 * @implements \IteratorAggregate<string, T>
 */
final class Pairs implements \IteratorAggregate, \Countable
{
    /** @param array<array-key, T> $pairs */
    public function __construct(private readonly array $pairs) {}

    /** @return \Generator<string, T> */
    public function getIterator(): \Generator
    {
        foreach ($this->pairs as $key => $value) {
            yield (string) $key => $value;
        }
    }

    public function count(): int
    {
        return \count($this->pairs);
    }
}
