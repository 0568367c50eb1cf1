<?php

declare(strict_types=1);

namespace Larder\Tests;

use Psr\Log\AbstractLogger;

/** A logger that records its entries. */
final class RecordingLogger extends AbstractLogger
{
    /** @var list<string> */
    private array $entries = [];

    /** @return list<string> level and message */
    public function entries(): array
    {
        return $this->entries;
    }

    /** @param mixed $level */
    public function log($level, string|\Stringable $message, array $context = []): void
    {
        $words = [];
        foreach ($context as $name => $word) {
            $words['{' . $name . '}'] = \is_scalar($word) ? (string) $word : get_debug_type($word);
        }
        $this->entries[] = \sprintf('%s: %s', \is_string($level) ? $level : '', strtr((string) $message, $words));
    }
}
