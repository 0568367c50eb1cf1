<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

/** A signal asked the command to end. */
final class Interrupted extends \Exception
{
    public function __construct(public readonly int $signal)
    {
        parent::__construct(\sprintf('interrupted by signal %d', $signal));
    }
}
