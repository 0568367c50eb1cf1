<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\WordPress\Backend;
use Larder\WordPress\Backend\Apcu;
use Larder\WordPress\Backend\Dsn;
use Larder\WordPress\Backend\Engine;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\TestCase;

final class BackendTest extends TestCase
{
    private static ?RedisServer $redis = null;
    private static ?TemporaryDirectory $folder = null;

    public static function tearDownAfterClass(): void
    {
        self::$redis?->stop();
        self::$redis = self::$folder = null;
    }

    /** @return array<string, array{\Closure(): Backend}> */
    public static function backends(): array
    {
        return [
            'engine' => [static fn(): Backend => new Engine()],
            'apcu' => [static fn(): Backend => new Apcu()],
            'redis' => [static function (): Backend {
                self::$folder ??= new TemporaryDirectory();
                self::$redis ??= RedisServer::start(self::$folder->path);

                return self::backend(Dsn::of('redis://' . self::$redis->socket));
            }],
        ];
    }

    private static function backend(Dsn|string $opened): Dsn
    {
        return \is_string($opened) ? self::fail($opened) : $opened;
    }

    /** @param \Closure(): Backend $open */
    #[DataProvider('backends')]
    public function testValuesAreStoredAndDeleted(\Closure $open): void
    {
        $backend = $open();
        $name = bin2hex(random_bytes(8));
        self::assertSame('none', $backend->get($name, 'none'));
        self::assertTrue($backend->set($name, false));
        self::assertFalse($backend->get($name, 'none'));
        self::assertFalse($backend->add($name, 2));
        self::assertSame(["$name" => false], $backend->getMany([$name, "$name-2"]));
        self::assertTrue($backend->delete($name));
        self::assertTrue($backend->delete($name), 'it is gone');
        self::assertTrue($backend->add($name, [1, null, 'x' => new \ArrayObject([5])]));
        self::assertEquals([1, null, 'x' => new \ArrayObject([5])], $backend->get($name));
        $backend->set($name, 1);
        $backend->set("$name-2", 2);
        self::assertSame(["$name-2" => 2, $name => 1], $backend->getMany(["$name-2", "$name-3", $name]));
    }

    /** @param \Closure(): Backend $open */
    #[DataProvider('backends')]
    public function testNumbersChangeAtomically(\Closure $open): void
    {
        $backend = $open();
        $name = bin2hex(random_bytes(8));
        self::assertFalse($backend->swap($name, 1, 2));
        $backend->set($name, 2);
        self::assertFalse($backend->swap($name, 3, 9));
        self::assertTrue($backend->swap($name, 2, \PHP_INT_MAX - 1));
        self::assertSame(\PHP_INT_MAX - 1, $backend->get($name));
        $backend->set($name, 'text');
        self::assertFalse($backend->swap($name, 0, 1));
    }

    /** @param \Closure(): Backend $open */
    #[DataProvider('backends')]
    public function testAGenerationNeverReturns(\Closure $open): void
    {
        $backend = $open();
        $name = bin2hex(random_bytes(8));
        $first = $backend->generation($name);
        self::assertIsInt($first);
        self::assertSame($first, $backend->generation($name));
        self::assertTrue($backend->clear($name));
        self::assertGreaterThan($first, $second = $backend->generation($name));
        $backend->delete($name); // as if evicted
        self::assertGreaterThan($second, $backend->generation($name));
    }

    /** @param \Closure(): Backend $open */
    #[DataProvider('backends')]
    public function testAnUnstorableValueLeavesNoOldOne(\Closure $open): void
    {
        $backend = $open();
        $name = bin2hex(random_bytes(8));
        foreach ([static fn(): int => 1, new class {
            public function __serialize(): array
            {
                throw new \LogicException('no');
            }
        }] as $value) {
            $backend->set($name, 'old');
            self::assertTrue($backend->set($name, $value));
            self::assertNull($backend->get($name));
            self::assertTrue($backend->add($name, $value));
            self::assertNull($backend->get($name));
        }
    }

    public function testADeadServerIsAnEmptyCache(): void
    {
        $backend = self::backend(Dsn::of('redis:///nowhere/redis.sock'));
        $log = ini_set('error_log', '/dev/null');

        try {
            self::assertNull($backend->get('a'));
            self::assertSame([], $backend->getMany(['a']));
            self::assertFalse($backend->set('a', 1));
            self::assertTrue($backend->add('a', 1));
            self::assertFalse($backend->delete('a'));
            self::assertFalse($backend->swap('a', 1, 2));
            self::assertNull($backend->generation('a'));
        } finally {
            ini_set('error_log', (string) $log);
        }
    }

    /** @param class-string $class */
    #[RunInSeparateProcess]
    #[DataProvider('dsns')]
    public function testADefinedDsnDecides(mixed $dsn, ?string $class, string $reason): void
    {
        \define('LARDER_DSN', $dsn);
        $backend = Backend::open();
        self::assertSame($class, $backend === null ? null : $backend::class);
        self::assertStringContainsString($reason, Backend::reason());
    }

    /** @return list<array{mixed, ?class-string, string}> */
    public static function dsns(): array
    {
        return [
            ['array:', Dsn::class, ''],
            ['nonsense', null, 'The store of LARDER_DSN cannot be used: '],
            [5, null, 'must be a string'],
            ['none:', null, 'cannot count'],
        ];
    }

    public function testApcuOfOneProcessIsNotUsed(): void
    {
        $script = 'namespace Larder\WordPress; require "' . __DIR__ . '/../../vendor/autoload.php";'
            . 'var_dump(apcu_enabled(), Backend::open()); echo Backend::reason();';
        $options = [\PHP_BINARY, '-d', 'apc.enable_cli=1', '-d', 'larder.enabled=0', '-r', $script];
        $said = (string) shell_exec(implode(' ', array_map(escapeshellarg(...), $options)));
        self::assertStringContainsString("bool(true)\nNULL\n", $said);
        self::assertStringContainsString('APCu is not shared by processes of cli', $said);
        foreach (['fpm-fcgi' => true, 'apache2handler' => true, 'cgi-fcgi' => false, 'cli' => false] as $sapi => $is) {
            self::assertSame($is, Apcu::isShared($sapi));
        }
    }

    public function testAnApcuIsNamedByWhatIsInIt(): void
    {
        $identity = (new Apcu())->identity();
        self::assertSame($identity, (new Apcu())->identity());
        apcu_clear_cache(); // as that of another PHP-FPM
        self::assertNotSame($identity, (new Apcu())->identity());
    }

    public function testTheEngineIsFirst(): void
    {
        self::assertInstanceOf(Engine::class, Backend::open());
        self::assertSame('', Backend::reason());
        self::assertSame(Backend::open(), Backend::open());
    }
}
