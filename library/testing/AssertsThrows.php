<?php

declare(strict_types=1);

namespace Larder\Testing;

use PHPUnit\Framework\TestCase;

/**
 * Catches an expected exception, so that a test can inspect it and continue.
 *
 * @phpstan-require-extends TestCase
 */
trait AssertsThrows
{
    /**
     * @template T of \Throwable
     * @param class-string<T> $exception
     * @param \Closure(): mixed $call
     * @param string $message part of the exception's message
     * @return T
     */
    protected static function assertThrows(string $exception, \Closure $call, string $message = ''): \Throwable
    {
        try {
            $call();
        } catch (\Throwable $thrown) {
            self::assertInstanceOf($exception, $thrown);
            self::assertStringContainsString($message, $thrown->getMessage());

            return $thrown;
        }
        self::fail("$exception was not thrown");
    }
}
