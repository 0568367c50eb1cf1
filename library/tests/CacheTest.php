<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Exception\InvalidKey;
use Larder\Exception\StoreUnavailable;
use Larder\Store\ApcuStore;
use Larder\Store\ArrayStore;
use Larder\Store\FileStore;
use Larder\Store\LarderStore;
use Larder\Store\NamespacedLarderStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class CacheTest extends TestCase
{
    public function testItDoesWhatItsStoreDoes(): void
    {
        $cache = new Cache(new ArrayStore());
        self::assertInstanceOf(ArrayStore::class, $cache->store());
        self::assertTrue($cache->set('k', null, ttl: 60));
        self::assertNull($cache->get('k', 'default'));
        self::assertTrue($cache->has('k'));
        self::assertTrue($cache->setMany(['a' => 1, 'b' => 2, '7' => 3]));
        self::assertSame(['b' => 2, 'c' => 'default', 7 => 3], $cache->getMany(['b', 'c', '7'], 'default'));
        self::assertSame([7 => 3, 'a' => 1], $cache->getMany(array_keys(['7' => 0, 'a' => 0])), 'PHP has made an integer of "7"');
        self::assertTrue($cache->deleteMany(['a', 'absent', 7]));
        self::assertTrue($cache->deleteMany((static fn(): \Generator => yield 'b')()));
        self::assertSame(['a' => null, 'b' => null, 7 => null], $cache->getMany(['a', 'b', '7']));
        self::assertTrue($cache->delete('k'));
        $cache->set('k', 1);
        self::assertTrue($cache->clear());
        self::assertFalse($cache->has('k'));
        $this->expectException(InvalidKey::class);
        $cache->get('');
    }

    /** @return iterable<string, array{class-string, list<string>}> */
    public static function places(): iterable
    {
        $larder = \dirname(__DIR__, 2) . '/extension/modules/larder.so';
        $apcu = ['-d', 'extension=apcu', '-d', 'apc.enable_cli=1'];
        yield 'the engine' => [LarderStore::class, ['-d', 'extension=' . $larder, ...$apcu]];
        yield 'APCu, without the engine' => [ApcuStore::class, $apcu];
        yield 'APCu, when the engine is off' => [ApcuStore::class, ['-d', 'extension=' . $larder, '-d', 'larder.enabled=0', ...$apcu]];
        yield 'APCu, when the engine has no directory' => [ApcuStore::class, ['-d', 'extension=' . $larder, '-d', 'larder.path=/nowhere', ...$apcu]];
        yield 'files, when APCu is off' => [FileStore::class, ['-d', 'extension=apcu']];
        yield 'files, without either' => [FileStore::class, []];
    }

    /**
     * @param class-string $store
     * @param list<string> $options
     */
    #[DataProvider('places')]
    public function testAutoTakesTheBestThatIsHere(string $store, array $options): void
    {
        $code = '$c = Larder\Cache::open(); echo $c->store()::class; exit($c->set("k", 1) && $c->get("k") === 1 ? 0 : 1);';
        $options = ['-n', '-d', 'extension=posix', '-d', 'sys_temp_dir=' . Servers::directory('auto'), ...$options];
        self::assertSame($store, Php::run($code, $options));
    }

    public function testAutoTakesOptions(): void
    {
        self::assertInstanceOf(NamespacedLarderStore::class, Cache::open('auto:?namespace=shop&serializer=igbinary')->store());
    }

    public function testFilesInTheTemporaryDirectoryAreRefusedWhenSomebodyElseWasThere(): void
    {
        $temporary = Servers::directory('squatted');
        mkdir($temporary . '/elsewhere');
        symlink($temporary . '/elsewhere', $temporary . '/larder-' . posix_geteuid());
        $code = 'try { Larder\Cache::open(); } catch (Larder\Exception\StoreUnavailable $e) { echo $e->getMessage(); }';
        self::assertStringContainsString('is not a directory of the user', Php::run($code, ['-n', '-d', 'extension=posix', '-d', 'sys_temp_dir=' . $temporary]));
    }

    /** @return iterable<string, array{string, non-empty-string}> */
    public static function missing(): iterable
    {
        $package = static fn(string $name): string => \sprintf('apt-get install php%d.%d-%s', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, $name);
        yield 'larder' => ['larder:', 'pie install larder/ext-larder'];
        yield 'apcu' => ['apcu:', $package('apcu')];
        yield 'yac' => ['yac:', $package('yac')];
        yield 'shmop' => ['shmop:', $package('common')];
        yield 'memcached' => ['memcached://localhost', $package('memcached')];
        yield 'memcache' => ['memcache://localhost', $package('memcache')];
        yield 'redis' => ['redis://localhost', $package('redis')];
        yield 'mysql' => ['mysql://me@localhost/db', $package('mysql')];
        yield 'sqlite' => ['sqlite:///tmp/x.sqlite', $package('sqlite3')];
        yield 'igbinary' => ['array:?serializer=igbinary', $package('igbinary')];
    }

    /** @param non-empty-string $how */
    #[DataProvider('missing')]
    public function testAMissingExtensionIsNamedWithTheWayToGetIt(string $address, string $how): void
    {
        $code = \sprintf('try { Larder\Cache::open(%s); } catch (%s $e) { echo $e->getMessage(); }', var_export($address, true), StoreUnavailable::class);
        $said = Php::run($code, ['-n']);
        self::assertMatchesRegularExpression('~^\S+: the PHP extension \w+ is not loaded\. To add it: ~', $said);
        self::assertStringEndsWith($how, $said);
    }

    public function testWhatIsSwitchedOffIsNamedWithItsSetting(): void
    {
        $code = 'try { Larder\Cache::open(getenv("ADDRESS")); } catch (Larder\Exception\StoreUnavailable $e) { echo $e->getMessage(); }';
        $larder = \dirname(__DIR__, 2) . '/extension/modules/larder.so';
        self::assertSame('apcu: APCu is loaded but switched off. On the command line it is on with: php -d apc.enable_cli=1', Php::run($code, ['-n', '-d', 'extension=apcu'], 'export ADDRESS=apcu:'));
        self::assertSame('larder: the engine is loaded but switched off. Set larder.enabled=1 in php.ini', Php::run($code, ['-n', '-d', 'extension=' . $larder, '-d', 'larder.enabled=0'], 'export ADDRESS=larder:'));
        self::assertStringStartsWith('larder: /nowhere is not a directory that this user can write. Set larder.path', Php::run($code, ['-n', '-d', 'extension=' . $larder, '-d', 'larder.path=/nowhere'], 'export ADDRESS=larder:'));
    }
}
