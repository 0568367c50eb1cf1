<?php

declare(strict_types=1);

namespace Larder\Internal;

use Larder\Internal\Process\LogLine;
use Psr\Log\AbstractLogger;

/** PHP's error log, a line for each message, for a cache without a logger. */
final class ErrorLog extends AbstractLogger
{
    /**
     * @param mixed $level
     * @param array<array-key, mixed> $context
     */
    public function log($level, string|\Stringable $message, array $context = []): void
    {
        $words = [];
        foreach ($context as $name => $word) {
            $words['{' . $name . '}'] = \is_scalar($word) ? (string) $word : get_debug_type($word);
        }
        LogLine::write('larder: ' . strtr((string) $message, $words));
    }
}
