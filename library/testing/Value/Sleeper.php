<?php

declare(strict_types=1);

namespace Larder\Testing\Value;

/** The older way to say what is serialized. */
final class Sleeper
{
    public bool $wokeUp = false;

    public function __construct(public string $dream) {}

    /** @return list<string> */
    public function __sleep(): array
    {
        return ['dream'];
    }

    public function __wakeup(): void
    {
        $this->wokeUp = true;
    }
}
