<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

/** A recommendation, in a few sentences. */
final class Answer
{
    /** @param string $dsn to copy; empty if there is none */
    public function __construct(public readonly string $text, public readonly string $dsn = '') {}
}
