<?php

declare(strict_types=1);

namespace Larder\Psr;

/**
 * What was asked for, by key, in the order asked. It may be walked any number of times; every key is a string, also "7",
 * of which an array would make an integer.
 *
 * @template-covariant T
 * @implements \IteratorAggregate<string, T>
 */
final class Pairs implements \IteratorAggregate, \Countable
{
    /**
     * @internal
     * @param array<array-key, T> $pairs
     */
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
