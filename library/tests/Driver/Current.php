<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

/** The client that an application has at the moment, as a framework that connects again. */
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
