<?php

declare(strict_types=1);

namespace Larder\Testing\Value;

/** An object with __sleep(). */
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
