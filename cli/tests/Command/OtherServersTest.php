<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Dump\Dump;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

/** top, keys, get, delete and dump on servers to which other programs write, too. */
#[RequiresPhpExtension('larder')]
#[RequiresPhpExtension('redis')]
final class OtherServersTest extends TestCase
{
    use RunsCommands;

    private const HOSTILE = "h:\x1b]0;title\x07\u{202e}\xff";

    private static TemporaryDirectory $directory;
    private static RedisServer $redisServer;
    private static MemcachedServer $memcachedServer;
    private \Redis $redis;

    public static function setUpBeforeClass(): void
    {
        self::$directory = new TemporaryDirectory();
        self::$redisServer = RedisServer::start(self::$directory->path);
        self::$memcachedServer = MemcachedServer::start(self::$directory->path);
    }

    public static function tearDownAfterClass(): void
    {
        self::$redisServer->stop();
        self::$memcachedServer->stop();
    }

    protected function setUp(): void
    {
        larder_clear();
        $this->redis = new \Redis();
        $this->redis->connect(self::$redisServer->socket);
        $this->redis->flushAll();
        self::memcached("flush_all\r\n");
    }

    public function testRedisIsLookedInto(): void
    {
        $this->redis->set('page:1', str_repeat('x', 5000), ['EX' => 100]);
        $this->redis->set('page:2', 'two');
        $this->redis->hSet('hash', 'field', 'value');
        $this->redis->set(self::HOSTILE, "\x1b]0;title\x07");
        Cache::open(self::redis())->set('own', 'value');

        $lines = explode("\n", self::larder('keys', ['--dsn' => self::redis()]));
        self::assertMatchesRegularExpression('~^ +[5-9]\.?\d* KiB +-  +(?:9\d|100) s +-      page:1$~', $lines[1]);
        self::assertMatchesRegularExpression('~^ +\d+ B +-     never   -      page:2$~m', implode("\n", $lines));
        self::assertStringContainsString('larder-cache:larder:own', implode("\n", $lines));
        self::assertStringContainsString('This server: 5 entries, ', implode("\n", $lines));
        self::assertStringContainsString(
            ' page:1',
            self::larder('keys', ['--dsn' => self::redis(), '--sort' => 'ttl', '-n' => '1']),
        );
        self::assertStringContainsString(
            '2 entries',
            self::larder('keys', ['--dsn' => self::redis(), 'prefix' => 'page:']),
        );
        self::larder('keys', ['--dsn' => self::redis(), '--unread' => true], 3, 'Only the engine');
        self::assertSame(
            ['own'],
            self::json('keys', ['--dsn' => self::redis() . '&namespace=larder']),
            'a namespace is a cache of the library',
        );

        self::assertStringContainsString(
            "\"two\"\n",
            self::larder('get', ['key' => 'page:2', '--dsn' => self::redis()]),
        );
        self::assertStringContainsString(
            "\"value\"\n",
            self::larder('get', ['key' => 'own', '--dsn' => self::redis()]),
        );
        self::assertSame(
            'value',
            self::json('get', ['key' => 'larder-cache:larder:own', '--dsn' => self::redis() . '&serializer=php'])['value'],
        );
        self::larder('get', ['key' => 'hash', '--dsn' => self::redis()], 1, 'or it is no string');

        $all = self::larder('keys', ['--dsn' => self::redis()]) . self::larder('keys', ['--dsn' => self::redis(), '--json' => true])
            . self::larder('get', ['key' => self::HOSTILE, '--dsn' => self::redis()]);
        self::assertMatchesRegularExpression('/^[^\p{C}]+$/Du', str_replace("\n", '', $all));

        self::assertStringStartsWith(
            'Deleted 1 entry ',
            self::larder('delete', ['key' => 'hash', '--dsn' => self::redis()]),
        );
        self::larder('delete', ['key' => 'hash', '--dsn' => self::redis()], 1);
        self::assertStringStartsWith(
            'Deleted 1 entry ',
            self::larder('delete', ['key' => 'own', '--dsn' => self::redis()]),
        );
        self::assertStringStartsWith(
            'Deleted 2 entries ',
            self::larder('delete', ['--prefix' => 'page:', '--yes' => true, '--dsn' => self::redis()]),
        );
        self::assertSame(1, $this->redis->dbSize(), 'the hostile one');
        self::larder('delete', ['--all' => true, '--yes' => true, '--dsn' => self::redis()]);
        self::assertSame(1, $this->redis->dbSize(), '--all is for the cache of the library only');
    }

    public function testMemcachedIsLookedInto(): void
    {
        self::memcached("set page:1 0 100 4\r\nfour\r\n");
        self::memcached("set list 4 0 6\r\na:0:{}\r\n");
        self::memcached("mg page:1 v\r\n");
        $keys = self::larder('keys', ['--dsn' => self::memcachedDsn()]);
        self::assertMatchesRegularExpression('~^ +\d+ B +- +(9\d|100) s   (yes|no) +page:1$~m', $keys);
        self::assertMatchesRegularExpression('~^ +\d+ B +-     never   no +list$~m', $keys);
        self::assertStringContainsString(
            "\"four\"\n",
            self::larder('get', ['key' => 'page:1', '--dsn' => self::memcachedDsn()]),
        );
        self::assertSame([], self::json('get', ['key' => 'list', '--dsn' => self::memcachedDsn()])['value']);
        self::assertStringStartsWith(
            'Deleted 1 entry ',
            self::larder('delete', ['key' => 'page:1', '--dsn' => self::memcachedDsn()]),
        );
        self::larder('get', ['key' => 'page:1', '--dsn' => self::memcachedDsn()], 1, 'There is no entry');
        self::assertStringStartsWith(
            'Deleted 1 entry ',
            self::larder('delete', ['--prefix' => 'l', '--yes' => true, '--dsn' => self::memcachedDsn()]),
        );
    }

    public function testTopShowsServers(): void
    {
        $this->redis->set('k', 'v');
        $this->redis->get('k');
        foreach ([self::redis() => 'Redis|Valkey', self::memcachedDsn() => 'memcached'] as $dsn => $name) {
            $screen = self::larder('top', ['--dsn' => $dsn]);
            self::assertMatchesRegularExpression("~^($name) \\d~", $screen);
            self::assertMatchesRegularExpression('~^Hits     no gets now, ~m', $screen);
            self::assertMatchesRegularExpression('~^Memory   .*; \d+ entr(y|ies)$~m', $screen);
        }
        $data = self::json('top', ['--dsn' => self::redis()]);
        self::assertSame([1, 0], [$data['entries'], $data['evicted']]);
        self::assertIsFloat($data['hit_rate_ever']);
        self::larder('top', ['--dsn' => self::redis(), '--prometheus' => true], 3, 'exporters');
    }

    public function testStringsOfRedisMoveIntoTheEngine(): void
    {
        $this->redis->set('plain', 'text', ['EX' => 600]);
        $this->redis->set('number', '42');
        $this->redis->set('large', str_repeat("\xff", 3 << 20));
        $this->redis->set('serialized', serialize(['a' => 1]));
        $this->redis->hSet('hash', 'f', 'v');
        $this->redis->rPush('list', '1', '2');
        $this->redis->sAdd('set', '1');
        $this->redis->set(self::HOSTILE, 'hostile');
        for ($i = 0; $i < 2500; ++$i) {
            $this->redis->set("many:$i", "v$i");
        }
        Cache::open(self::redis())->set('own', 'value');
        $said = $this->move(self::redis());
        self::assertStringContainsString(': 2,505 entries, ', $said);
        self::assertStringContainsString("1 skipped of the type hash, which a cache has not.\n", $said);
        self::assertStringContainsString("1 skipped of the type list, which a cache has not.\n", $said);
        self::assertStringContainsString("1 skipped of Larder: add namespace=larder to the DSN.\n", $said);
        self::assertSame(
            ['text', '42', 'hostile', serialize(['a' => 1]), 'v2499'],
            array_values(larder_fetch_multiple(['plain', 'number', self::HOSTILE, 'serialized', 'many:2499'])),
        );
        self::assertSame(str_repeat("\xff", 3 << 20), larder_fetch('large'));
        self::assertEqualsWithDelta(600.0, larder_key_info('plain')['ttl'] ?? 0, 30);
        self::assertSame(0.0, larder_key_info('number')['ttl'] ?? null);

        $said = $this->move(self::redis() . '&serializer=php', 'serialized');
        self::assertStringContainsString(': 1 entry, ', $said);
        self::assertSame(['a' => 1], larder_fetch('serialized'));
    }

    #[RequiresPhpExtension('igbinary')]
    public function testIgbinaryOfRedisMovesIntoTheEngine(): void
    {
        $this->redis->set('ig', (string) igbinary_serialize(['a' => [1.5]]));
        $this->redis->set('damaged', "\0\0\0\2\x14");
        $said = $this->move(self::redis() . '&serializer=igbinary');
        self::assertStringContainsString('1 skipped that could not be read here', $said);
        self::assertSame(['a' => [1.5]], larder_fetch('ig'));

        foreach (['in' => (string) igbinary_serialize(['b' => null]), 'none' => (string) igbinary_serialize(null),
            'cut' => "\0\0\0\2\x14"] as $name => $bytes) {
            self::memcached(\sprintf("set %s 5 0 %d\r\n%s\r\n", $name, \strlen($bytes), $bytes));
        }
        $said = $this->move(self::memcachedDsn());
        self::assertStringContainsString('1 skipped that could not be read here', $said);
        self::assertSame([['b' => null], null], array_values(larder_fetch_multiple(['in', 'none'])));
        self::assertTrue(larder_exists('none'));
        self::assertFalse(larder_exists('cut'));
    }

    public function testItemsOfMemcachedMoveIntoTheEngine(): void
    {
        $items = ['string' => [0, 'text'], 'int' => [1, '42'], 'float' => [2, '1.5'], 'bool' => [3, '1'], 'false' => [3, ''], 'php' => [4, serialize([1, null])], 'json' => [6, '{"a":1}'], 'packed' => [16, 'xxxx'], 'foreign' => [77, 'x']];
        foreach ($items as $name => [$flags, $bytes]) {
            self::memcached(\sprintf("set %s %d 600 %d\r\n%s\r\n", $name, $flags, \strlen($bytes), $bytes));
        }
        self::memcached(\sprintf("set large 0 0 %d\r\n%s\r\n", 1_000_000, str_repeat('x', 1_000_000)));
        self::memcached("ms c3BhY2UgaW4gaXQ= 4 b\r\ntext\r\n");
        $said = $this->move(self::memcachedDsn());
        self::assertStringContainsString(': 9 entries, ', $said);
        self::assertStringContainsString('2 skipped that could not be read here', $said);
        self::assertSame(
            ['text', 42, 1.5, true, false, [1, null], ['a' => 1], null, 'text'],
            array_values(larder_fetch_multiple(['string', 'int', 'float', 'bool', 'false', 'php', 'json', 'packed', 'space in it'])),
        );
        self::assertSame(str_repeat('x', 1_000_000), larder_fetch('large'));
        self::assertEqualsWithDelta(600.0, larder_key_info('int')['ttl'] ?? 0, 30);
    }

    #[RequiresPhpExtension('apcu')]
    public function testApcuOfThisProcess(): void
    {
        apcu_clear_cache();
        apcu_store('page:1', ['x'], 600);
        apcu_store(self::HOSTILE, 'y');
        apcu_fetch('page:1');
        $keys = self::larder('keys', ['--dsn' => 'apcu:', '--sort' => 'ttl']);
        self::assertMatchesRegularExpression('~\n +\d+ B +- +\d+ min   yes    page:1\n~', $keys);
        self::assertMatchesRegularExpression('/^[^\p{C}]+$/Du', str_replace("\n", '', $keys));
        self::assertSame(['x'], self::json('get', ['key' => 'page:1', '--dsn' => 'apcu:'])['value']);
        self::assertSame(2, self::json('top', ['--dsn' => 'apcu:'])['entries']);
        $this->move('apcu:');
        self::assertSame([['x'], 'y'], array_values(larder_fetch_multiple(['page:1', self::HOSTILE])));
        self::assertEqualsWithDelta(600.0, larder_key_info('page:1')['ttl'] ?? 0, 30);
        self::larder('delete', ['key' => 'page:1', '--dsn' => 'apcu:']);
        self::assertFalse(apcu_exists('page:1'));
    }

    public function testCachesOfTheLibraryMoveIntoTheEngine(): void
    {
        foreach (['larder', 'shop'] as $namespace) {
            $dsn = self::redis() . "&namespace=$namespace";
            $cache = Cache::open($dsn);
            $cache->set('tagged', [1, 'x'], 600, ['post:7']);
            $cache->remember('computed', 600, static fn(): string => 'made');
            $cache->lock('busy', 60);
            $said = $this->move($dsn);
            self::assertStringContainsString(' entries, ', $said);
            $engine = Cache::open($namespace === 'larder' ? 'larder:' : 'larder:?namespace=shop');
            self::assertSame([[1, 'x'], 'made'], [$engine->get('tagged'), $engine->get('computed')]);
            self::assertNull($engine->lockHolder('busy'), 'locks stay');
            self::assertEqualsWithDelta(microtime(true) + 600, $engine->expiry('computed'), 30);
            $engine->invalidateTags(['post:7']);
            self::assertNull($engine->get('tagged'));
        }
    }

    private function move(string $dsn, string $prefix = ''): string
    {
        $file = self::$directory->path . '/' . bin2hex(random_bytes(6));
        $said = self::larder('dump', ['file' => $file, '--dsn' => $dsn, '--prefix' => $prefix]);
        larder_clear();
        Dump::load($file, intoOlder: true);

        return $said;
    }

    private static function redis(): string
    {
        return 'redis://' . self::$redisServer->socket . '?timeout=30';
    }

    private static function memcachedDsn(): string
    {
        return 'memcached://' . self::$memcachedServer->socket . '?timeout=30';
    }

    private static function memcached(string $request): void
    {
        $stream = stream_socket_client('unix://' . self::$memcachedServer->socket);
        self::assertIsResource($stream);
        fwrite($stream, $request);
        self::assertMatchesRegularExpression('/^(STORED|OK|HD|VA)/', (string) fgets($stream));
    }
}
