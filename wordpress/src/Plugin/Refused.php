<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A file stays as it is. */
final class Refused extends \RuntimeException
{
    public function __construct(public readonly Problem $problem, public readonly string $path)
    {
        parent::__construct($problem->name . ': ' . $path);
    }
}
