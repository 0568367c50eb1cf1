<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

/** The current client of an application, which a framework may replace by a new one. */
final class Current
{
    public int $calls = 0;

    public function __construct(public object $client) {}

    public function get(): object
    {
        ++$this->calls;

        return $this->client;
    }
}
