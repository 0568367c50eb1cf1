<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** The cost of one request, from its first line to the value. */
final class RequestCost
{
    /** @param list<string> $files loaded files, except the page and Composer's own */
    public function __construct(public readonly int $nanoseconds, public readonly array $files, public readonly int $worker) {}
}
