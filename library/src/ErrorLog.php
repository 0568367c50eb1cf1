<?php

declare(strict_types=1);

namespace Larder;

use Psr\Log\AbstractLogger;

/** Where a cache writes what it has to tell when it was given no logger: PHP's error log, a line each. */
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
        error_log('larder: ' . preg_replace('/[\x00-\x1f\x7f]+/', ' ', strtr((string) $message, $words)));
    }
}
