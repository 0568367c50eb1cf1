<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\PhpFile;

use Larder\Cache;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;

final class PhpFileTest extends DriverTestCase
{
    /** PHP's defaults. */
    private const OPCACHE_DEFAULTS = [
        'opcache.enable' => 1,
        'opcache.validate_timestamps' => 1,
        'opcache.revalidate_freq' => 2,
        'opcache.file_update_protection' => 2,
    ];

    public static function dsn(string $namespace): string
    {
        return \sprintf('php-file://%s?namespace=%s', Servers::directory('php-files'), $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    public function testWorkersSeeAnOverwriteImmediately(): void
    {
        $directory = Servers::directory('fpm');
        $server = PhpFpmServer::start(Servers::directory('fpm-server'), self::OPCACHE_DEFAULTS, pools: [new PhpFpmPool(workers: 2)]);
        $here = Cache::open('php-file://' . $directory);
        $workers = [];
        $stale = ['store' => 0, 'plain' => 0];
        for ($round = 0; $round < 10; ++$round) {
            $value = 'value ' . $round;
            if ($round % 2 === 0) {
                self::ask($server, 'set', $directory, $value);
            } else {
                $here->set('k', $value);
            }
            self::ask($server, 'set plain', $directory, $value);
            for ($look = 0; $look < 4; ++$look) {
                [$found, $worker] = self::ask($server, 'get', $directory);
                self::assertIsInt($worker);
                $workers[$worker] = true;
                $stale['store'] += $found === $value ? 0 : 1;
                $stale['plain'] += self::ask($server, 'get plain', $directory)[0] === $value ? 0 : 1;
            }
            self::assertSame($value, $here->get('k'));
        }
        $memory = self::ask($server, 'memory', $directory);
        $server->stop();
        self::assertSame(0, $stale['store']);
        self::assertGreaterThan(0, $stale['plain'], 'the control: a file at one path, included as it is, is stale for two seconds');
        self::assertCount(2, $workers);
        self::assertSame(1, $memory['scripts'], 'the value was in opcache all the while');
    }

    public function testOpcacheMemoryUseIsBounded(): void
    {
        $small = [...self::OPCACHE_DEFAULTS, 'opcache.memory_consumption' => 10, 'opcache.interned_strings_buffer' => 3, 'opcache.max_accelerated_files' => 200];
        $directory = Servers::directory('fpm-small');
        $server = PhpFpmServer::start(Servers::directory('fpm-small-server'), $small);
        /** @var array<string, int> $after */
        $after = self::ask($server, 'churn', $directory);
        $server->stop();
        self::assertSame(0, $after['wrong'], 'values are right, in opcache or not');
        self::assertGreaterThan(0, $after['scripts']);
        self::assertGreaterThan(0, $after['wasted']);
        self::assertGreaterThan($after['keep_free'] - 100_000, $after['free']);
        self::assertSame([0, 0], [$after['oom_restarts'], $after['hash_restarts']]);

        $control = PhpFpmServer::start(Servers::directory('fpm-control-server'), $small);
        /** @var array<string, int> $after */
        $after = self::ask($control, 'churn plain', $directory);
        $control->stop();
        self::assertTrue($after['oom_restarts'] > 0 || $after['free'] < $after['keep_free'] / 2, 'the control fills opcache');
    }

    /** Every string of a value goes into the interned strings buffer, which is never emptied. */
    public function testOpcacheStringUseIsBounded(): void
    {
        $server = PhpFpmServer::start(Servers::directory('fpm-strings-server'), self::OPCACHE_DEFAULTS);
        /** @var array<string, int> $after */
        $after = self::ask($server, 'rows', Servers::directory('fpm-strings'));
        $server->stop();
        self::assertSame(0, $after['wrong'], 'values are right, in opcache or not');
        self::assertGreaterThan(0, $after['scripts']);
        // 600 strings of 40 to 56 bytes, and what the page itself and the library take since.
        self::assertGreaterThan($after['strings_keep_free'] - 150_000, $after['strings_free']);

        $control = PhpFpmServer::start(Servers::directory('fpm-strings-control-server'), self::OPCACHE_DEFAULTS);
        /** @var array<string, int> $after */
        $after = self::ask($control, 'rows plain', Servers::directory('fpm-strings'));
        $control->stop();
        self::assertLessThan($after['strings_keep_free'] - 400_000, $after['strings_free'], 'the control fills it');
    }

    public function testValuesAndKeysAreNeverExecuted(): void
    {
        $marker = Servers::directory('injection') . '/marker';
        $code = \sprintf('touch(%s)', var_export($marker, true));
        $cache = Cache::open('php-file://' . Servers::directory('injection'));
        $attempts = ["'; $code; //", "\\'; $code; //", "' . $code . '", "?><?php $code; ?>", "\"; $code; #", "{\${$code}}", "*/ $code; /*", "\n$code;\n", "\0' . $code . '"];
        foreach ($attempts as $attempt) {
            foreach ([$attempt, [$attempt => $attempt], (object) [$attempt => $attempt], new \ArrayObject([$attempt])] as $value) {
                self::assertTrue($cache->set($attempt, $value));
                self::assertEquals($value, $cache->get($attempt));
                self::assertTrue($cache->has($attempt));
            }
        }
        self::assertFileDoesNotExist($marker);
    }

    public function testDamagedFileIsAMiss(): void
    {
        $cache = Cache::open('php-file://' . Servers::directory('php-damage'));
        $cache->set('k', ['value']);
        $file = (string) ((array) glob(Servers::directory('php-damage') . '/larder/*/*.php'))[0];
        $content = (string) file_get_contents($file);
        for ($length = 0; $length < \strlen($content); ++$length) {
            file_put_contents($file, substr($content, 0, $length));
            ob_start(); // a file without its opening tag is printed by PHP
            self::assertNull($cache->get('k'), 'cut after ' . $length);
            ob_end_clean();
        }
        file_put_contents($file, str_replace("'k'", "'other'", $content));
        self::assertNull($cache->get('k'), 'as if both keys had one hash');
        file_put_contents($file, $content);
        self::assertSame(['value'], $cache->get('k'));
    }

    public function testFloatsAreExactWithAnyPrecisionSetting(): void
    {
        $code = '$c = Larder\Cache::open("php-file://' . Servers::directory('floats') . '"); $c->set("k", [0.1 + 0.2, 1 / 3]); var_dump($c->get("k") === [0.1 + 0.2, 1 / 3]);';
        self::assertSame("bool(true)\n", PhpProcess::run($code, ['-d', 'serialize_precision=-1']));
        self::assertSame("bool(true)\n", PhpProcess::run($code, ['-d', 'serialize_precision=17']));
    }

    public function testDirectoryThatCannotBeCreatedIsNamed(): void
    {
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches('~^php-file: the directory /proc/larder/larder cannot be made~');
        Cache::open('php-file:///proc/larder');
    }

    /** @return array<mixed> */
    private static function ask(PhpFpmServer $server, string $do, string $directory, string $value = ''): array
    {
        $response = $server->request(__DIR__ . '/pages/php-file.php', http_build_query(['do' => $do, 'directory' => $directory, 'value' => $value]));
        self::assertSame([200, ''], [$response->status, $response->errors]);

        return (array) json_decode($response->body, true, flags: \JSON_THROW_ON_ERROR);
    }
}
