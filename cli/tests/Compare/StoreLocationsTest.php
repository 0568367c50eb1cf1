<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\StoreLocations;
use PHPUnit\Framework\TestCase;

final class StoreLocationsTest extends TestCase
{
    public function testCloseEndsAllThatWasStarted(): void
    {
        $locations = new StoreLocations();
        $others = $locations->others('pinned');
        self::assertSame($others, $locations->others('pinned'));
        self::assertNotSame($others, $locations->others('unpinned'));
        $server = $locations->server('Memcached');
        $other = $others->server('Memcached');
        self::assertNotSame($server, $other);
        self::assertSame(['memcached'], array_keys($locations->serverVersions()));
        $directories = [$locations->disk('a'), $others->disk('a')];
        self::assertDirectoryExists($directories[1]);
        $ended = 0;
        $locations->endWith(static function () use (&$ended): void {
            ++$ended;
        });

        $locations->close();
        $locations->close();

        self::assertSame(1, $ended);
        self::assertSame([false, false], array_map(is_dir(...), $directories));
        self::assertSame([], $locations->serverVersions());
        self::assertSame([], $others->serverVersions());
    }
}
