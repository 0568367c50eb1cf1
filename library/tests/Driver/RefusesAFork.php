<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Testing\Fork;

/** For tests of caches over the application's own clients. */
trait RefusesAFork
{
    /** A fork gets the reason why it cannot read with the client, and the parent still can. */
    protected static function assertForkIsRefused(string $why, Cache $cache): void
    {
        self::assertTrue($cache->set('k', 1));
        $said = Fork::run(static function () use ($cache): string {
            try {
                return 'read ' . var_export($cache->get('k'), true);
            } catch (StoreFailed $failure) {
                return $failure->getMessage();
            }
        });
        self::assertIsString($said);
        self::assertStringContainsString($why, $said);
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }
}
