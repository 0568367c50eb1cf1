<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Changes one byte of one value in a thousand reads. */
final class AlteringStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        if ($this->reads % 1000 === 999 && \is_string($value)) {
            $value[\strlen($value) - 1] = \chr(\ord($value[\strlen($value) - 1]) ^ 1);
        }

        return $value;
    }
}
