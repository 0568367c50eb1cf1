<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

/** An object whose copies cannot be serialized. */
final class SerializedOnce
{
    private bool $isCopy = false;

    /** @return array<never> */
    public function __serialize(): array
    {
        return $this->isCopy ? throw new \DomainException("not\ntwice") : [];
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        $this->isCopy = true;
    }
}
