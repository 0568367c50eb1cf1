<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use Larder\Cache;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;

final class EngineTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'larder:';
    }

    protected function setUp(): void
    {
        parent::setUp();
        // Where a fork creates the segment, this process looks for it again only 10 ms after it has last found none.
        self::assertTrue($this->cache->set('segment', 'created') && $this->cache->clear());
    }

    protected function hasNamespaces(): bool
    {
        return false;
    }

    /** The engine refuses values over an eighth of its memory, which is 64 MB by default. */
    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }

    public function testUnrelatedProcessesShareValues(): void
    {
        $cache = Cache::open('larder:');
        $cache->set('unrelated', ['from' => 'here']);
        self::assertSame("here\n", PhpProcess::run('$c = Larder\Cache::open("larder:"); echo $c->get("unrelated")["from"], "\n"; $c->set("unrelated", "from there");'));
        self::assertSame('from there', $cache->get('unrelated'));
    }

    public function testOtherSegmentIsRefusedWithTheSetting(): void
    {
        $running = (string) ini_get('larder.segment');
        self::assertTrue(Cache::open('larder:' . $running)->set('k', 1));
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches(\sprintf('~^larder: this process has the segment %s, not other\. .*php -d larder\.segment=other$~', preg_quote($running, '~')));
        Cache::open('larder:other');
    }
}
