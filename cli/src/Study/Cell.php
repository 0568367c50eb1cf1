<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** One figure that a process measures. */
final class Cell
{
    /**
     * @param string $value a name of Values
     * @param positive-int $operations
     */
    public function __construct(
        public readonly Operation $operation,
        public readonly string $value,
        public readonly int $operations,
    ) {}
}
