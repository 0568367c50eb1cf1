<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** Operations of a store gave or kept something else than they should have. The message says what the first did. */
final class WrongResults extends \RuntimeException
{
    private function __construct(public readonly int $operations, string $problem)
    {
        parent::__construct($problem);
    }

    /**
     * @param list<string> $problems one for each operation
     * @throws self when there are any
     */
    public static function throwIfAny(array $problems): void
    {
        if ($problems !== []) {
            throw new self(\count($problems), $problems[0]);
        }
    }
}
