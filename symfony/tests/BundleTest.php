<?php

declare(strict_types=1);

namespace Larder\Symfony\Tests;

use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Session\Handler;
use Larder\Symfony\Adapter;
use Larder\Symfony\LockStore;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Bundle\FrameworkBundle\Console\Application;
use Symfony\Component\Cache\Adapter\ChainAdapter;
use Symfony\Component\Cache\Adapter\TraceableAdapter;
use Symfony\Component\Cache\Adapter\TraceableTagAwareAdapter;
use Symfony\Component\Cache\DataCollector\CacheDataCollector;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/** What one line of a Symfony application's configuration gives, with the real framework. */
final class BundleTest extends TestCase
{
    use AssertsThrows;

    /** @var list<TestKernel> */
    private array $kernels = [];

    protected function tearDown(): void
    {
        foreach ($this->kernels as $kernel) {
            $kernel->shutdown();
        }
        foreach (['LARDER_DSN', 'OTHER_DSN', 'THIRD_DSN'] as $variable) {
            unset($_SERVER[$variable], $_ENV[$variable]);
        }
        restore_exception_handler(); // of the framework
    }

    public function testOneLineMovesThePoolsOfTheApplication(): void
    {
        $_SERVER['LARDER_DSN'] = 'array:';
        $kernel = $this->boot(['cache' => ['app' => 'cache.adapter.larder']], ['cache.app', 'cache.app.taggable']);
        $app = self::pool($kernel, 'cache.app');
        self::assertSame($app, $kernel->getContainer()->get('cache.app.taggable'), 'it has the tags itself');
        self::assertSame(1, $app->get('key', static fn(ItemInterface $item): int => $item->tag('a')->isHit() ? 0 : 1));
        self::assertTrue($app->getItem('key')->isHit());
        self::assertTrue($app->invalidateTags(['a']));
        self::assertFalse($app->getItem('key')->isHit());
    }

    /** @return iterable<string, array{string}> */
    public static function providers(): iterable
    {
        $folder = Servers::directory('symfony-providers');
        yield 'engine' => ['larder:'];
        yield 'engine in a namespace' => ['larder:?namespace=shop'];
        yield 'a tier' => ["tier:(larder:)(file://$folder/tier?namespace=shop)"];
        yield 'php-file' => ["php-file://$folder/php"];
        yield 'file' => ["file://$folder/files"];
        yield 'sqlite' => ["sqlite://$folder/cache.sqlite"];
        yield 'redis' => [RedisTest::dsn(Servers::run() . 'pools')];
        yield 'environment' => ['%env(OTHER_DSN)%'];
        yield 'as for locks' => ["larder+file://$folder/files"];
        yield 'environment, as for locks' => ['%env(THIRD_DSN)%'];
    }

    #[DataProvider('providers')]
    public function testProviderIsAnyDsn(string $dsn): void
    {
        $_SERVER['OTHER_DSN'] = 'larder:?namespace=other';
        $_SERVER['THIRD_DSN'] = 'larder+file://' . Servers::directory('symfony-providers') . '/files';
        $cache = ['pools' => [
            'one' => ['adapter' => 'cache.adapter.larder', 'provider' => $dsn, 'tags' => true],
            'two' => ['adapter' => 'cache.adapter.larder', 'provider' => $dsn, 'default_lifetime' => '2 minutes'],
            'chain' => ['adapters' => ['cache.adapter.array', ['name' => 'cache.adapter.larder', 'provider' => $dsn]]],
        ]];
        $kernel = $this->boot(['cache' => $cache], ['one', 'two', 'chain', '.two.taggable']);
        $one = self::pool($kernel, 'one');
        $two = self::pool($kernel, 'two');
        $chain = $kernel->getContainer()->get('chain');
        self::assertInstanceOf(ChainAdapter::class, $chain);
        self::assertSame($two, $kernel->getContainer()->get('.two.taggable'));
        foreach (['one' => $one, 'two' => $two, 'chain' => $chain] as $name => $pool) {
            self::assertSame($name, $pool->get('key', static fn(): string => $name));
        }
        self::assertTrue($two->clear());
        self::assertSame([true, false], [$one->getItem('key')->isHit(), $two->getItem('key')->isHit()]);
        self::assertTrue($one->clear());
        self::assertSame('chain', $chain->getItem('key')->get());
        self::assertTrue($chain->clear());
    }

    /** Symfony takes it for a service, which it would name. */
    public function testWrongProviderIsNotShown(): void
    {
        $pool = ['adapter' => 'cache.adapter.larder', 'provider' => 'no-such://shop:secret@127.0.0.1'];
        $kernel = $this->boot(['cache' => ['pools' => ['shop' => $pool]]], ['shop']);
        $pool = self::pool($kernel, 'shop');
        $thrown = self::assertThrows(InvalidDsn::class, static fn(): mixed => $pool->getItem('key'));
        self::assertStringNotContainsString('secret', (string) $thrown);
    }

    public function testConsoleReachesThePools(): void
    {
        $pools = [
            'shop' => ['adapter' => 'cache.adapter.larder', 'provider' => 'larder:', 'tags' => true],
            'other' => ['adapter' => 'cache.adapter.larder', 'provider' => 'larder:'],
        ];
        $kernel = $this->boot(['cache' => ['pools' => $pools]], ['shop', 'other']);
        foreach ([
            [['cache:pool:clear', 'pools' => ['shop']], false],
            [['cache:pool:delete', 'pool' => 'shop', 'key' => 'key'], false],
            [['cache:pool:invalidate-tags', 'tags' => ['a']], false],
            [['cache:pool:invalidate-tags', 'tags' => ['a'], '--pool' => ['shop']], false],
            [['cache:pool:prune'], true],
            [['cache:clear'], true],
        ] as [$arguments, $isLeft]) {
            self::pool($kernel, 'shop')->get('key', static fn(ItemInterface $item): bool => $item->tag('a')->isHit());
            self::pool($kernel, 'other')->get('key', static fn(): int => 1);
            self::console($kernel, $arguments);
            self::assertSame($isLeft, self::pool($kernel, 'shop')->getItem('key')->isHit(), $arguments[0]);
            self::assertTrue(self::pool($kernel, 'other')->getItem('key')->isHit(), $arguments[0]);
        }
        self::assertMatchesRegularExpression('/shop.*other/s', self::console($kernel, ['cache:pool:list']));
    }

    /** By a class without tags. */
    public function testDecoratedPoolHasTags(): void
    {
        $_SERVER['LARDER_DSN'] = 'larder:';
        $kernel = $this->boot(
            ['cache' => ['app' => 'cache.adapter.larder', 'pools' => ['shop' => ['adapter' => 'cache.app']]]],
            ['cache.app', 'shop', '.shop.taggable', TagAwareCacheInterface::class],
            decorators: ['cache.app' => TraceableAdapter::class, 'shop' => TraceableAdapter::class],
        );
        foreach (['cache.app' => TagAwareCacheInterface::class, 'shop' => '.shop.taggable'] as $id => $tagged) {
            $pool = $kernel->getContainer()->get($id);
            self::assertInstanceOf(TraceableAdapter::class, $pool);
            self::assertNotInstanceOf(TagAwareCacheInterface::class, $pool);
            $tagged = $kernel->getContainer()->get($tagged);
            self::assertInstanceOf(TagAwareCacheInterface::class, $tagged);
            $count = 0;
            $make = static function (ItemInterface $item) use (&$count): int {
                return $item->tag('a')->isHit() ? 0 : ++$count;
            };
            self::assertSame([1, 1], [$tagged->get('key', $make), $tagged->get('key', $make)]);
            self::assertNotSame([], $pool->getCalls(), 'it sees all');
            self::console($kernel, ['cache:pool:invalidate-tags', 'tags' => ['a']]);
            self::assertSame(2, $tagged->get('key', $make));
            $pool->clear();
        }
    }

    public function testProfilerCountsAndShowsNoValue(): void
    {
        $kernel = $this->boot([
            'cache' => ['pools' => ['shop' => [
                'adapter' => 'cache.adapter.larder',
                'provider' => 'larder:',
                'tags' => true,
            ]]],
            'profiler' => ['collect' => true],
        ], ['shop', 'data_collector.cache'], true);
        $shop = $kernel->getContainer()->get('shop');
        self::assertInstanceOf(TraceableTagAwareAdapter::class, $shop);
        $shop->get('key', static fn(): string => 'a secret value');
        $shop->get('key', static fn(): string => 'not computed');
        $shop->getItem('key');
        $collector = $kernel->getContainer()->get('data_collector.cache');
        self::assertInstanceOf(CacheDataCollector::class, $collector);
        $collector->collect(new Request(), new Response());
        $collector->lateCollect();
        /** @var array<string, int> $statistics */
        $statistics = $collector->getStatistics()['shop'];
        self::assertSame([3, 2, 1], [$statistics['calls'], $statistics['hits'], $statistics['misses']]);
        self::assertStringNotContainsString('a secret value', serialize($collector));
        $shop->clear();
    }

    /** @return iterable<string, array{string, class-string}> */
    public static function locks(): iterable
    {
        yield 'DSN' => ['larder:', LockStore::class];
        yield 'service' => ['larder.lock.store', LockStore::class];
        yield 'environment' => ['%env(OTHER_DSN)%', LockStore::class];
        yield 'ours over files' => ['larder+file://' . Servers::directory('symfony-locks'), LockStore::class];
        yield 'files' => ['file://' . Servers::directory('symfony-locks'), LockStore::class];
        yield "Symfony's own" => ['flock', FlockStore::class];
    }

    /** @param class-string $class */
    #[DataProvider('locks')]
    public function testFrameworkLock(string $lock, string $class): void
    {
        $_SERVER['LARDER_DSN'] = 'larder:?namespace=locks';
        $_SERVER['OTHER_DSN'] = 'larder:?namespace=others';
        $kernel = $this->boot(['lock' => $lock], ['lock.factory']);
        $factory = $kernel->getContainer()->get('lock.factory');
        self::assertInstanceOf(LockFactory::class, $factory);
        self::assertInstanceOf($class, (new \ReflectionProperty($factory, 'store'))->getValue($factory));
        $name = 'report ' . bin2hex(random_bytes(4));
        $held = $factory->createLock($name);
        self::assertTrue($held->acquire());
        self::assertFalse($factory->createLock($name)->acquire());
        $held->release();
        self::assertTrue($factory->createLock($name)->acquire());
    }

    /** @return iterable<string, array{string, class-string}> */
    public static function sessions(): iterable
    {
        yield 'DSN' => ['larder:', StrictSessionHandler::class];
        yield 'DSN with //' => ['larder://', StrictSessionHandler::class];
        yield 'service' => ['larder.session.handler', StrictSessionHandler::class];
        yield 'environment' => ['%env(OTHER_DSN)%', Handler::class];
        yield 'ours over files' => ['larder+file://' . Servers::directory('symfony-sessions'), Handler::class];
    }

    /** @param class-string $class */
    #[DataProvider('sessions')]
    public function testSessions(string $handler, string $class): void
    {
        $_SERVER['OTHER_DSN'] = 'larder+file://' . Servers::directory('symfony-sessions');
        $before = (string) ini_get('session.save_handler');

        try {
            $kernel = $this->boot(['session' => ['handler_id' => $handler]], ['session.handler']);
            self::assertInstanceOf($class, $kernel->getContainer()->get('session.handler'));
            if ($class === StrictSessionHandler::class) {
                self::assertSame('larder', ini_get('session.save_handler'));
            }
        } finally {
            ini_set('session.save_handler', $before);
        }
    }

    /** Sessions of a store that evicts, or that has old values, are refused when the first one starts. */
    public function testSessionsThatCouldBeLostAreRefused(): void
    {
        foreach (['apcu:', 'tier:(larder:)(file://' . Servers::directory('symfony-sessions') . ')'] as $dsn) {
            $kernel = $this->boot(['session' => ['handler_id' => $dsn]], ['session.handler']);
            self::assertThrows(
                NotSupported::class,
                static fn(): mixed => $kernel->getContainer()->get('session.handler'),
            );
        }
    }

    /** As where an image is built. */
    public function testApplicationIsBuiltWithoutTheEngine(): void
    {
        $folder = Servers::directory('symfony') . '/' . bin2hex(random_bytes(4));
        $code = <<<'PHP'
            $kernel = new Larder\Symfony\Tests\TestKernel(%s, [
                'cache' => ['app' => 'cache.adapter.larder', 'pools' => ['shop' => [
                    'adapter' => 'cache.adapter.larder',
                    'provider' => 'larder:',
                ]]],
                'lock' => 'larder:',
                'session' => ['handler_id' => 'larder:'],
            ]);
            $console = new Symfony\Bundle\FrameworkBundle\Console\Application($kernel);
            $console->setAutoExit(false);
            $output = new Symfony\Component\Console\Output\BufferedOutput();
            foreach (['cache:clear', 'cache:warmup', 'cache:pool:list'] as $name) {
                echo $console->run(new Symfony\Component\Console\Input\ArrayInput([$name]), $output), ' ';
            }
            $clear = ['cache:pool:clear', 'pools' => ['shop']];
            echo $console->run(new Symfony\Component\Console\Input\ArrayInput($clear), $output);
            PHP;
        $options = ['-n', '-d', 'error_log=/dev/null'];
        foreach (['posix', 'ctype', 'mbstring', 'tokenizer', 'iconv', 'phar'] as $module) {
            if (is_file(\PHP_EXTENSION_DIR . "/$module.so")) {
                array_push($options, '-d', "extension=$module");
            }
        }
        $said = PhpProcess::run(\sprintf($code, var_export($folder, true)), $options);
        self::assertStringContainsString('0 0 0 1', $said, 'a pool that is not there is not cleared');
    }

    /**
     * @param array<string, mixed> $framework
     * @param list<string> $public
     * @param array<string, string> $decorators
     */
    private function boot(
        array $framework,
        array $public,
        bool $isDebug = false,
        array $decorators = [],
    ): TestKernel {
        $folder = Servers::directory('symfony') . '/' . bin2hex(random_bytes(4));
        $kernel = $this->kernels[] = new TestKernel($folder, $framework, $public, $isDebug, $decorators);
        $kernel->boot();

        return $kernel;
    }

    private static function pool(TestKernel $kernel, string $id): Adapter
    {
        $pool = $kernel->getContainer()->get($id);
        self::assertInstanceOf(CacheItemPoolInterface::class, $pool);
        self::assertInstanceOf(Adapter::class, $pool);

        return $pool;
    }

    /** @param array<mixed> $arguments */
    private static function console(TestKernel $kernel, array $arguments): string
    {
        $console = new Application($kernel);
        $console->setAutoExit(false);
        $output = new BufferedOutput();
        $code = $console->run(new ArrayInput($arguments), $output);
        $said = $output->fetch();
        self::assertSame(0, $code, $said);

        return $said;
    }
}
