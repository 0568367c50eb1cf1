<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Decorator\TransparentDecorator;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\InvalidKey;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Apcu\ApcuStore;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Driver\File\FileStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Remember\StoredValue;
use Larder\Psr\InvalidArgument;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use Larder\Tests\Driver\Engine\EngineTest;
use Larder\Tests\Driver\Engine\NamespacedEngineTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\PhpFile\PhpFileTest;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class CacheTest extends TestCase
{
    public function testOperationsReachTheStore(): void
    {
        $cache = new Cache(new ArrayStore());
        self::assertInstanceOf(ArrayStore::class, $cache->store());
        self::assertTrue($cache->set('k', null, ttl: 60));
        self::assertNull($cache->get('k', 'default'));
        self::assertTrue($cache->has('k'));
        self::assertTrue($cache->setMany(['a' => 1, 'b' => 2, '7' => 3]));
        self::assertSame(['b' => 2, 'c' => 'default', 7 => 3], $cache->getMany(['b', 'c', '7'], 'default'));
        self::assertSame(
            [7 => 3, 'a' => 1],
            $cache->getMany(array_keys(['7' => 0, 'a' => 0])),
            'PHP has made an integer of "7"',
        );
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

    /** The value is not read again, so its token contains the time until which it is fresh. */
    public function testTokenOfAStaleValueIsRefused(): void
    {
        $store = new ArrayStore();
        $cache = new Cache($store);
        $token = null;
        foreach ([[60.0, true], [0.1, false]] as [$seconds, $isFresh]) {
            do { // on a machine that stands still, it may be stale at once
                $store->set('k', (new StoredValue('value', microtime(true) + $seconds))->stored());
                $cache->getWithToken('k', null, $token);
            } while ($token === null);
            usleep(110_000);
            self::assertSame($isFresh, $cache->setIfUnchanged('k', $token, 'new'));
        }
        foreach (['', '@', '@tagged', '@later', $token . '@'] as $none) {
            self::assertFalse($cache->setIfUnchanged('k', $none, 'new'), $none);
        }
    }

    /** @return iterable<string, array{\Closure(Cache, string): mixed}> */
    public static function writes(): iterable
    {
        yield 'set' => [static fn(Cache $cache, string $key): bool => $cache->set($key, 1)];
        yield 'set with tags' => [static fn(Cache $cache, string $key): bool => $cache->set($key, 1, tags: ['t'])];
        yield 'setMany' => [static fn(Cache $cache, string $key): bool => $cache->setMany(['a' => 1, $key => 1])];
        yield 'delete' => [static fn(Cache $cache, string $key): bool => $cache->delete($key)];
        yield 'deleteMany' => [static fn(Cache $cache, string $key): bool => $cache->deleteMany(['page', $key])];
        yield 'add' => [static fn(Cache $cache, string $key): bool => $cache->add($key, 1)];
        yield 'replace' => [static fn(Cache $cache, string $key): bool => $cache->replace($key, 1)];
        yield 'increment' => [static fn(Cache $cache, string $key): int|false => $cache->increment($key)];
        yield 'decrement' => [static fn(Cache $cache, string $key): int|false => $cache->decrement($key)];
        yield 'touch' => [static fn(Cache $cache, string $key): bool => $cache->touch($key, 60)];
        yield 'swap' => [static fn(Cache $cache, string $key): bool => $cache->swap($key, 1, 2)];
        yield 'pull' => [static fn(Cache $cache, string $key): mixed => $cache->pull($key)];
        yield 'setIfUnchanged' => [static function (Cache $cache, string $key): bool {
            $cache->getWithToken($key, null, $token);

            return $cache->setIfUnchanged($key, (string) $token, 1);
        }];
        yield 'remember' => [
            static fn(Cache $cache, string $key): mixed => $cache->remember($key, 60, static fn(): int => 1),
        ];
        yield 'rememberMany' => [static fn(Cache $cache, string $key): array => $cache->rememberMany(
            [$key, 'absent'],
            60,
            static fn(array $keys): array => array_fill_keys($keys, 1),
        )];
        yield 'PSR-16' => [static fn(Cache $cache, string $key): bool => (new SimpleCache($cache))->set($key, 1)];
        yield 'PSR-6' => [static fn(Cache $cache, string $key): bool => ($pool = new ItemPool(
            $cache,
        ))->save($pool->getItem($key)->set(1))];
    }

    /**
     * A visitor who chooses keys could otherwise make invalidated values valid again.
     *
     * @param \Closure(Cache, string): mixed $write
     */
    #[DataProvider('writes')]
    public function testKeysOfLarderAreNotWritten(\Closure $write): void
    {
        $cache = Cache::open('array:');
        self::assertTrue($cache->set('page', 'of the shop', tags: ['shop']));
        foreach ([ReservedKey::tag('shop'), ReservedKey::changes(), "\0larder-"] as $key) {
            try {
                $write($cache, $key);
                self::fail('a key of Larder was taken');
            } catch (InvalidKey|InvalidArgument $refusal) {
                self::assertStringContainsString('larder-', $refusal->getMessage() . $key);
            }
            self::assertSame('of the shop', $cache->get('page'), 'its tag is as it was');
        }
        $write($cache, "\0larder");
    }

    /** @return iterable<string, array{class-string, list<string>}> */
    public static function stores(): iterable
    {
        $larder = \dirname(__DIR__, 2) . '/extension/modules/larder.so';
        $apcu = ['-d', 'extension=apcu', '-d', 'apc.enable_cli=1'];
        yield 'the engine' => [EngineStore::class, ['-d', 'extension=' . $larder, ...$apcu]];
        yield 'APCu, without the engine' => [ApcuStore::class, $apcu];
        yield 'APCu, when the engine is off' => [
            ApcuStore::class,
            ['-d', 'extension=' . $larder, '-d', 'larder.enabled=0', ...$apcu],
        ];
        yield 'APCu, when the engine has no directory' => [
            ApcuStore::class,
            ['-d', 'extension=' . $larder, '-d', 'larder.path=/nowhere', ...$apcu],
        ];
        yield 'files, when APCu is off' => [FileStore::class, ['-d', 'extension=apcu']];
        yield 'files, without either' => [FileStore::class, []];
    }

    /**
     * @param class-string $store
     * @param list<string> $options
     */
    #[DataProvider('stores')]
    public function testAutoTakesTheBestAvailableStore(string $store, array $options): void
    {
        $code = '$c = Larder\Cache::open(); echo $c->store()::class; exit($c->set("k", 1) && $c->get("k") '
            . '=== 1 ? 0 : 1);';
        $options = [
            '-n',
            '-d',
            'extension=posix',
            '-d',
            'error_log=/dev/null',
            '-d',
            'sys_temp_dir=' . Servers::directory('auto'),
            ...$options,
        ];
        self::assertSame($store, PhpProcess::run($code, $options));
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function explanations(): iterable
    {
        $larder = PhpProcess::withEngine();
        $apcu = ['-d', 'extension=apcu'];
        $after = 'no, it comes after one that works here';
        $first = 'chosen, the first that works here';
        $user = 'user ' . (posix_getpwuid(posix_geteuid())['name'] ?? '');
        $php = \sprintf('PHP %d.%d', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
        $advice = '. So that both have one cache, name its store, such as larder: '
            . 'or file:///var/cache/app (docs/operate.md)';
        $noEngine = 'larder: no, the PHP extension larder is not loaded. '
            . 'To add it: run sudo make install in a clone of Larder';
        yield 'the engine' => [
            [...$larder, ...$apcu],
            "larder: $first ($user, segment default in /dev/shm, $php)|apcu: $after|file: $after",
        ];
        yield 'the engine off' => [
            [...$larder, '-d', 'larder.enabled=0', ...$apcu, '-d', 'apc.enable_cli=1'],
            "larder: no, the engine is loaded but switched off. Set larder.enabled=1 in php.ini|apcu: $first, "
                . "but the web server's PHP has another apcu, of its own workers ($user, $php, "
                . "this process alone)$advice|file: $after",
        ];
        yield 'APCu off on the command line' => [
            [...$apcu, '-d', 'apc.enable_cli=0'],
            "$noEngine|apcu: no, APCu is loaded but switched off. On the command line it is on with: "
                . "php -d apc.enable_cli=1|file: $first, but a web server's PHP with these extensions takes apcu, "
                . "which is off on the command line only ($user)$advice",
        ];
        yield 'neither' => [
            [],
            \sprintf(
                '%s|apcu: no, the PHP extension apcu is not loaded. To add it: apt-get install php%d.%d-apcu|file: %s',
                $noEngine,
                \PHP_MAJOR_VERSION,
                \PHP_MINOR_VERSION,
                "$first ($user)",
            ),
        ];
    }

    /** @param list<string> $options */
    #[DataProvider('explanations')]
    public function testAutoIsExplained(array $options, string $explanation): void
    {
        $log = Servers::directory('auto') . '/' . bin2hex(random_bytes(4)) . '.log';
        $options = [
            '-n',
            '-d',
            'extension=posix',
            '-d',
            "error_log=$log",
            '-d',
            'sys_temp_dir=' . Servers::directory('auto'),
            ...$options,
        ];
        self::assertSame(
            $explanation,
            PhpProcess::run('echo implode("|", Larder\Cache::open()->explain());', $options),
        );
        $told = (string) @file_get_contents($log);
        self::assertSame(
            str_contains($explanation, "web server's PHP "),
            str_contains($told, 'larder: auto: takes '),
            'told once, when the web server has another',
        );
        self::assertSame($told === '' ? 0 : 1, substr_count($told, "\n"));
    }

    public function testEngineWithoutASegmentSaysWhy(): void
    {
        $temporary = Servers::directory('auto');
        $engine = [
            ...PhpProcess::withEngine(),
            '-d',
            'larder.path=' . $temporary,
            '-d',
            'larder.segment=no/name',
            '-d',
            'error_log=/dev/null',
        ];
        $code = 'echo Larder\Cache::open()->explain()[0]->why, "|", larder_info()["reason"];';
        [$why, $reason] = [...explode('|', PhpProcess::run($code, ['-n', '-d', 'extension=posix', ...$engine])), ''];
        self::assertNotSame('', $reason);
        self::assertSame('the first that works here, but it keeps nothing now: ' . $reason, $why);
    }

    public function testErrorNamesEveryUnavailableStore(): void
    {
        $code = 'try { Larder\Cache::open(); } catch (Larder\Exception\StoreUnavailable $e) { echo $e->getMessage(); }';
        $said = PhpProcess::run($code, ['-n', '-d', 'extension=posix', '-d', 'sys_temp_dir=/nowhere']);
        self::assertStringStartsWith(
            'auto: nothing that it looks for works here. larder: the PHP extension larder is not loaded. ',
            $said,
        );
        self::assertStringContainsString('. apcu: the PHP extension apcu is not loaded. ', $said);
        self::assertMatchesRegularExpression(
            '~\. file: the directory /nowhere/larder-\d+ cannot be made\. '
                . 'Make it for the user \S+: install -d -m 700 -o \S+ \'/nowhere/larder-\d+\'~',
            $said,
        );
    }

    public function testExplicitDsnIsExplainedByItself(): void
    {
        self::assertSame(['array: chosen, the DSN names it'], array_map(strval(...), Cache::open('array:')->explain()));
        self::assertSame([], (new Cache(new ArrayStore()))->explain());
    }

    public function testDsnComesFromTheEnvironment(): void
    {
        $code = 'echo (new ReflectionClass(Larder\Cache::open()->store()))->getShortName();';
        foreach ([
            ['LARDER_DSN=none: ; export LARDER_DSN', '', 'NullStore'],
            ['LARDER_DSN= ; export LARDER_DSN', '', 'FileStore'],
            [':', '$_ENV["LARDER_DSN"] = "array:";', 'ArrayStore'],
            ['LARDER_DSN=none: ; export LARDER_DSN', '$_SERVER["LARDER_DSN"] = "array:";', 'ArrayStore'],
            ['LARDER_DSN=shop: ; export LARDER_DSN', '', 'The scheme of the DSN is not known'],
        ] as [$before, $set, $expected]) {
            $options = ['-n', '-d', 'extension=posix', '-d', 'sys_temp_dir=' . Servers::directory('auto')];
            self::assertStringContainsString($expected, PhpProcess::run($set . $code, $options, $before));
        }
    }

    public function testAutoTakesOptions(): void
    {
        self::assertInstanceOf(EngineStore::class, Cache::open('auto:?namespace=shop&serializer=igbinary')->store());
    }

    public function testAutoAvoidsATakenTemporaryDirectory(): void
    {
        $temporary = Servers::directory('squatted');
        $elsewhere = $temporary . '/elsewhere';
        mkdir($elsewhere);
        symlink($elsewhere, $temporary . '/larder-' . posix_geteuid());
        $code = '$c = Larder\Cache::open(); $c->set("k", "value"); echo $c->get("k");';
        self::assertSame(
            'value',
            PhpProcess::run($code, ['-n', '-d', 'extension=posix', '-d', 'sys_temp_dir=' . $temporary]),
        );
        self::assertSame([], glob($elsewhere . '/*'));
    }

    /** @return iterable<string, array{string, non-empty-string}> */
    public static function missing(): iterable
    {
        $package = static fn(string $name): string
            => \sprintf('apt-get install php%d.%d-%s', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, $name);
        yield 'larder' => ['larder:', 'run sudo make install in a clone of Larder'];
        yield 'apcu' => ['apcu:', $package('apcu')];
        yield 'yac' => ['yac:', $package('yac')];
        yield 'shmop' => ['shmop:', $package('common')];
        yield 'redis' => ['redis://localhost', $package('redis')];
        yield 'mysql' => ['mysql://me@localhost/db', $package('mysql')];
        yield 'sqlite' => ['sqlite:///tmp/x.sqlite', $package('sqlite3')];
        yield 'igbinary' => ['array:?serializer=igbinary', $package('igbinary')];
    }

    /** @param non-empty-string $how */
    #[DataProvider('missing')]
    public function testMissingExtensionIsNamedWithItsInstallation(string $address, string $how): void
    {
        $code = \sprintf(
            'try { Larder\Cache::open(%s); } catch (%s $e) { echo $e->getMessage(); }',
            var_export($address, true),
            StoreUnavailable::class,
        );
        $said = PhpProcess::run($code, ['-n']);
        self::assertMatchesRegularExpression('~^\S+: the PHP extension \w+ is not loaded\. To add it: ~', $said);
        self::assertStringEndsWith($how, $said);
    }

    public function testDisabledExtensionIsNamedWithItsSetting(): void
    {
        $code = 'try { Larder\Cache::open(getenv("ADDRESS")); } catch (Larder\Exception\StoreUnavailable $e) { '
            . 'echo $e->getMessage(); }';
        $larder = \dirname(__DIR__, 2) . '/extension/modules/larder.so';
        self::assertSame(
            'apcu: APCu is loaded but switched off. On the command line it is on with: php -d apc.enable_cli=1',
            PhpProcess::run($code, ['-n', '-d', 'extension=apcu'], 'export ADDRESS=apcu:'),
        );
        self::assertSame(
            'larder: the engine is loaded but switched off. Set larder.enabled=1 in php.ini',
            PhpProcess::run(
                $code,
                ['-n', '-d', 'extension=' . $larder, '-d', 'larder.enabled=0'],
                'export ADDRESS=larder:',
            ),
        );
        self::assertStringStartsWith(
            'larder: /nowhere is not a directory that this user can write. Set larder.path',
            PhpProcess::run(
                $code,
                ['-n', '-d', 'extension=' . $larder, '-d', 'larder.path=/nowhere'],
                'export ADDRESS=larder:',
            ),
        );
    }

    public function testEngineWorksThoughOpenBasedirHidesItsFolder(): void
    {
        $code = 'try { $cache = Larder\\Cache::open("larder:"); $cache->set("k", "v"); echo $cache->get("k"); '
            . '} catch (Larder\\Exception\\StoreUnavailable $e) { echo $e->getMessage(); }';
        $root = \dirname(__DIR__, 2);
        $memory = new TemporaryDirectory('/dev/shm');
        self::assertSame('v', PhpProcess::run($code, [
            '-n',
            '-d',
            "extension=$root/extension/modules/larder.so",
            '-d',
            "larder.path=$memory->path",
            '-d',
            "open_basedir=$root",
        ]));
    }

    public function testRefusedWritesAreCounted(): void
    {
        $cache = Cache::open(\sprintf('sqlite://%s/cache.sqlite?max_size=1048576', Servers::directory('not-stored')));
        $tooLarge = str_repeat('x', 2 << 20);
        self::assertTrue($cache->set('k', 'fits'));
        self::assertSame([], $cache->failures());

        self::assertFalse($cache->set('k', $tooLarge));
        self::assertFalse($cache->setMany(['k' => $tooLarge]));
        self::assertFalse($cache->set('k', $tooLarge, tags: ['t']));

        self::assertSame(['not stored' => 3], $cache->failures());
    }

    /** As described in docs/values.md. */
    public function testResourceIsRefusedOrLost(): void
    {
        foreach (TestedStore::all() as $store) {
            $cache = $store->openNew();
            self::assertTrue(self::isRefused($cache, \STDIN), $store->name);
            self::assertSame(
                \in_array(
                    $store->test,
                    [EngineTest::class, NamespacedEngineTest::class, ArrayTest::class, PhpFileTest::class],
                    true,
                ),
                self::isRefused($cache, [[\STDIN]]),
                $store->name,
            );
            self::assertSame(
                \in_array($store->test, [EngineTest::class, NamespacedEngineTest::class], true),
                self::isRefused($cache, (object) ['resource' => \STDIN]),
                $store->name,
            );
            $cache->clear();
        }
        self::assertTrue(self::isRefused(
            (new TestedStore(FileTest::class))->open('resource', 'serializer=json'),
            [[\STDIN]],
        ));
    }

    /** The mark of pull() expires after a moment, perhaps between the two steps of an add(). */
    public function testWhatEndsBetweenTwoStepsBlocksNothing(): void
    {
        $store = new class (new ArrayStore()) extends TransparentDecorator {
            public function __construct(private readonly ArrayStore $store) {}

            public function decorated(): ArrayStore
            {
                return $this->store;
            }

            public function add(string $key, mixed $value, int|float $ttl = 0): bool
            {
                return parent::add($key, $value, $ttl) || !$this->store->delete($key);
            }

            public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
            {
                $sum = parent::increment($key, $step, $first, $ttl);

                return $sum !== false ? $sum : ($this->store->delete($key) ? false : $sum);
            }
        };
        $cache = new Cache($store);
        $cache->set('added', 'there');
        self::assertTrue($cache->add('added', 'new'));
        self::assertSame('new', $cache->get('added'));
        $cache->set('counted', 'no number');
        self::assertSame(1, $cache->increment('counted'));
    }

    private static function isRefused(Cache $cache, mixed $value): bool
    {
        $cache->set('k', 'before');
        try {
            $cache->set('k', $value);
        } catch (\Throwable $refusal) {
            self::assertSame("Serialization of 'resource' is not allowed", $refusal->getMessage());
            self::assertSame('before', $cache->get('k'));

            return true;
        }

        return false;
    }
}
