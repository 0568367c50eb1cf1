<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Exception\CacheException;
use Psr\Cache\InvalidArgumentException as ItemPoolRefusal;
use Psr\SimpleCache\InvalidArgumentException as SimpleCacheRefusal;

/** For tests of the PSR interfaces: a refused call throws an exception of both PSRs and of Larder. */
trait AssertsRefusal
{
    /** @param \Closure(): mixed $call */
    private function assertRefuses(\Closure $call, string $message = ''): void
    {
        try {
            $call();
        } catch (ItemPoolRefusal|SimpleCacheRefusal $refusal) {
            self::assertInstanceOf(ItemPoolRefusal::class, $refusal);
            self::assertInstanceOf(SimpleCacheRefusal::class, $refusal);
            self::assertInstanceOf(CacheException::class, $refusal);
            self::assertStringContainsString($message, $refusal->getMessage());

            return;
        }
        self::fail('nothing was thrown');
    }
}
