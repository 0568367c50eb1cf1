<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Exception\CacheException;
use Psr\Cache\InvalidArgumentException as ItemPoolRefusal;
use Psr\SimpleCache\InvalidArgumentException as SimpleCacheRefusal;

/** For tests of the PSR interfaces: a refused call throws an exception of both PSRs and of Larder. */
trait AssertsRefusal
{
    use AssertsThrows;

    /** @param \Closure(): mixed $call */
    private function assertRefuses(\Closure $call, string $message = ''): void
    {
        $refusal = self::assertThrows(CacheException::class, $call, $message);
        self::assertInstanceOf(ItemPoolRefusal::class, $refusal);
        self::assertInstanceOf(SimpleCacheRefusal::class, $refusal);
    }
}
