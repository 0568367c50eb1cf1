<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** Wrong results of a store's operations. The message describes the first. */
final class WrongResults extends \RuntimeException
{
    private function __construct(public readonly int $operations, string $problem)
    {
        parent::__construct($problem);
    }

    /**
     * @param list<string> $problems one for each operation
     * @throws self if there is any problem
     */
    public static function throwIfAny(array $problems): void
    {
        if ($problems !== []) {
            throw new self(\count($problems), $problems[0]);
        }
    }
}
