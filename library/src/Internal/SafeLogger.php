<?php

declare(strict_types=1);

namespace Larder\Internal;

use Larder\Internal\Process\LogLine;
use Psr\Log\AbstractLogger;
use Psr\Log\LoggerInterface;

/**
 * The logger that a cache was given. Text of servers and programs reaches it without line breaks, and its exceptions
 * end up in PHP's error log: logging never changes the result of a call.
 *
 * @internal
 */
final class SafeLogger extends AbstractLogger
{
    public function __construct(private readonly LoggerInterface $logger) {}

    /**
     * @param mixed $level
     * @param array<array-key, mixed> $context
     */
    public function log($level, string|\Stringable $message, array $context = []): void
    {
        try {
            $line = static fn(mixed $word): mixed => \is_string($word) ? LogLine::of($word) : $word;
            $this->logger->log($level, LogLine::of((string) $message), array_map($line, $context));
        } catch (\Throwable $thrown) {
            $log = new ErrorLog();
            $log->log($level, $message, $context);
            $log->error('the logger {logger} has thrown {class}: {reason} at {file}:{line}; the cache goes on', [
                'logger' => $this->logger::class,
                'class' => $thrown::class,
                'reason' => $thrown->getMessage(),
                'file' => $thrown->getFile(),
                'line' => $thrown->getLine(),
            ]);
        }
    }
}
