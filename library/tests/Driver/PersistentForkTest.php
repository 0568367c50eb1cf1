<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Memcached\MemcachedTest;
use Larder\Tests\Driver\MySql\MySqlInnoDbTest;
use Larder\Tests\Driver\PostgreSql\PostgreSqlTest;
use Larder\Tests\Driver\Redis\PredisTest;
use Larder\Tests\Driver\Redis\RedisTest;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** A fork inherits the persistent connections of its parent: over them, each would receive replies to the other. */
final class PersistentForkTest extends TestCase
{
    /** @param class-string<DriverTestCase> $test */
    #[TestWith([RedisTest::class])]
    #[TestWith([PredisTest::class])]
    #[TestWith([MemcachedTest::class])]
    #[TestWith([MySqlInnoDbTest::class])]
    #[TestWith([PostgreSqlTest::class])]
    public function testCacheOfAForkOpensItsOwnConnection(string $test): void
    {
        $open = static fn(): Cache => (new TestedStore($test))->open('fork', 'persistent=1&on_failure=throw');
        self::assertTrue($open()->set('k', 'value')); // an object that is freed returns its connection
        $before = self::sockets();
        self::assertSame('value', $open()->get('k'));
        self::assertSame($before, self::sockets(), 'the control: the process itself gets the connection that is kept');
        $fork = Fork::start(static function () use ($open): array {
            $inherited = self::sockets();
            $own = $open();

            return [$own->get('k'), array_diff(self::sockets(), $inherited) !== []];
        });
        self::assertSame(['value', true], $fork->result());
        self::assertSame('value', $open()->get('k'));
    }

    /** @return list<string> */
    private static function sockets(): array
    {
        $links = array_map(
            static fn(string|false $link): string => (string) @readlink((string) $link),
            (array) glob('/proc/self/fd/*'),
        );

        return array_values(array_filter($links, static fn(string $link): bool => str_starts_with($link, 'socket:')));
    }
}
