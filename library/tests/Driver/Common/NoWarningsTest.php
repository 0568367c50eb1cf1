<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Common;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Testing\Fork;
use Larder\Tests\Decorator\Breaker\Proxy;
use Larder\Tests\OtherUser;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Psr\Log\NullLogger;

/** Frameworks turn every warning into an exception or a log entry, even one hidden by @. */
final class NoWarningsTest extends TestCase
{
    private const USE = '$heard = []; set_error_handler(static function (int $level, string $message) use (&$heard): bool { $heard[] = $message; return true; });
        $c = Larder\Cache::open(%s);
        $got = [$c->get("missing"), $c->has("missing"), $c->delete("missing"), $c->set("k", [1]), $c->get("k"), $c->set("k", [2], 60), $c->get("k"), $c->increment("n"), $c->add("k", 3), $c->delete("k"), $c->get("k"), $c->clear()];
        $lock = $c->lock("l", 1); $lock->release();
        echo json_encode([$got, $heard]);';
    private const RIGHT = '[[null,false,true,true,[1],true,[2],1,false,true,null,true],[]]';

    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testFileStoresCallNoErrorHandler(string $scheme): void
    {
        $code = \sprintf(self::USE, var_export("$scheme://" . Servers::directory('quiet-' . $scheme), true));
        self::assertSame(self::RIGHT, PhpProcess::run($code, ['-n']), 'without any extension');
        self::assertSame(self::RIGHT, PhpProcess::run($code));
        $control = 'set_error_handler(static function (int $level, string $message): bool { echo $message; '
            . 'return true; }); @file_get_contents("/no/such/file");';
        self::assertStringContainsString(
            '/no/such/file',
            PhpProcess::run($control, ['-n']),
            'the control: @ alone does not keep a warning from a handler',
        );
    }

    public function testShmopMissCallsNoErrorHandler(): void
    {
        if (!\extension_loaded('shmop')) {
            self::markTestSkipped('It needs the extension shmop');
        }
        $code = '$heard = []; set_error_handler(static function (int $level, string $message) use (&$heard): bool { $heard[] = $message; return true; });
            $c = Larder\Cache::open("shmop:?namespace=quiet"); echo json_encode([$c->get("missing"), $c->has("missing"), $c->set("k", 1), $c->get("k"), $heard]); $c->clear();';
        self::assertSame('[null,false,true,1,[]]', PhpProcess::run($code));
    }

    /** The file is removed between the check and the read. */
    public function testValueRemovedDuringAReadIsAMiss(): void
    {
        $address = 'php-file://' . Servers::directory('quiet-removed');
        $other = Fork::start(static function () use ($address): void {
            for ($cache = Cache::open($address);;) {
                $cache->set('k', 'value');
                $cache->delete('k');
            }
        });
        $cache = Cache::open($address);
        $found = [];
        $heard = self::heardIn(static function () use ($cache, &$found): void {
            for ($start = microtime(true); microtime(true) < $start + (\count($found) < 2 ? 60.0 : 1.0);) {
                $value = $cache->get('k', 'a miss');
                self::assertIsString($value);
                $found[$value] = true;
            }
        });
        $other->kill();
        self::assertSame([], $heard);
        self::assertEqualsCanonicalizing(['value', 'a miss'], array_keys($found));
    }

    public function testMySqlProtocolErrorsCallNoErrorHandler(): void
    {
        $server = Servers::mariaDb();
        $proxy = Proxy::before($server->socket);
        $cache = Cache::open(
            \sprintf(
                'mysql://%s:%s@/%s?socket=%s',
                MariaDbServer::USER,
                $server->password,
                MariaDbServer::DATABASE,
                $proxy->socket,
            ),
            new NullLogger(),
        );
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', 'value')));
        foreach (['garbage', 'drop 3', 'drop 200', 'refuse'] as $trouble) {
            $proxy->does($trouble);
            self::assertSame([], self::heardIn(static fn(): mixed => $cache->get('k')), $trouble);
            $proxy->does('pass');
            self::assertTrue(Servers::await(static fn(): bool => $cache->get('k') === 'value'));
        }
        $proxy->stop();
    }

    /**
     * @param \Closure(): mixed $work
     * @return list<string>
     */
    private static function heardIn(\Closure $work): array
    {
        $heard = [];
        set_error_handler(static function (int $level, string $message) use (&$heard): bool {
            $heard[] = $message;

            return true;
        });

        try {
            $work();
        } finally {
            restore_error_handler();
        }

        return array_values(array_unique($heard));
    }

    /** Folders above the cache are not accessible; the accessible ones are checked as usual. */
    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testOpenBasedirIsRespectedWithoutWarnings(string $scheme): void
    {
        $home = Servers::directory('basedir-' . $scheme);
        $inside = ['-n', '-d', \sprintf('open_basedir=%s:%s', $home, \dirname(__DIR__, 4))];
        foreach (['', '/deep/er'] as $below) {
            self::assertSame(
                self::RIGHT,
                PhpProcess::run(\sprintf(self::USE, var_export("$scheme://$home$below", true)), $inside),
            );
        }
        $outside = \sprintf(
            'try { Larder\Cache::open(%s); } catch (Larder\Exception\StoreUnavailable $e) { echo $e->what; }',
            var_export("$scheme://" . \dirname($home) . '/elsewhere', true),
        );
        self::assertSame(
            \dirname($home) . '/elsewhere/larder cannot be made: it is not within open_basedir',
            substr(PhpProcess::run($outside, $inside), \strlen('the directory ')),
        );
    }

    #[TestWith([''])]
    #[TestWith(['?persistent=1'])]
    public function testSqliteRespectsOpenBasedirWithoutWarnings(string $options): void
    {
        $home = Servers::directory('basedir-sqlite');
        $inside = ['-d', \sprintf('open_basedir=%s:%s', $home, \dirname(__DIR__, 4))];
        self::assertSame(
            self::RIGHT,
            PhpProcess::run(\sprintf(self::USE, var_export("sqlite://$home/cache$options", true)), $inside),
        );
        $outside = 'set_error_handler(static fn(int $level, string $warning): never => throw new Exception($warning));'
            . 'try { Larder\Cache::open(%s)->get("k"); }'
            . ' catch (Larder\Exception\StoreUnavailable $e) { echo $e->what; }';
        self::assertSame(
            \sprintf('the directory %s cannot be used: it is not within open_basedir', \dirname($home)),
            PhpProcess::run(
                \sprintf($outside, var_export('sqlite://' . \dirname($home) . "/cache$options", true)),
                $inside,
            ),
        );
    }

    public function testShmopUnderOpenBasedirSaysWhatItNeeds(): void
    {
        $code = 'try { Larder\Cache::open("shmop:"); } catch (Larder\Exception\StoreUnavailable $e) { echo $e->how; }';
        $inside = ['-d', 'open_basedir=' . \dirname(__DIR__, 4)];
        self::assertSame('It needs Linux with /proc mounted, and that file within open_basedir', PhpProcess::run($code, $inside));
    }

    /** "No extension required", as the page says: posix and opcache are missing. */
    public function testAutoWorksWithoutExtensions(): void
    {
        $temporary = Servers::directory('auto-temporary');
        $code = \sprintf(self::USE, '"auto:"') . 'echo get_debug_type($c->store());';
        $before = 'export TMPDIR=' . escapeshellarg($temporary);
        self::assertSame(
            self::RIGHT . 'Larder\Internal\Driver\File\FileStore',
            PhpProcess::run($code, ['-n'], $before),
        );
        $inside = ['-n', '-d', \sprintf('open_basedir=%s:%s', $temporary, \dirname(__DIR__, 4))];
        self::assertSame(
            self::RIGHT . 'Larder\Internal\Driver\File\FileStore',
            PhpProcess::run($code, $inside, $before),
        );
        if (posix_geteuid() === 0) {
            chmod($temporary, 0o1777);
            OtherUser::letThrough(\dirname($temporary));
            self::assertSame(
                self::RIGHT . 'Larder\Internal\Driver\File\FileStore',
                OtherUser::run(OtherUser::VICTIM, $code, ['-n'], $before),
            );
            self::assertFileExists(\sprintf('%s/larder-%d', $temporary, OtherUser::VICTIM));
        }
    }
}
