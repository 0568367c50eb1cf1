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
use PHPUnit\Framework\Attributes\DataProvider;

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
        $server = PhpFpmServer::start(
            Servers::directory('fpm-server'),
            self::OPCACHE_DEFAULTS,
            pools: [new PhpFpmPool(workers: 2)],
        );
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
        self::assertGreaterThan(
            0,
            $stale['plain'],
            'the control: a file at one path, included as it is, is stale for two seconds',
        );
        self::assertCount(2, $workers);
        self::assertSame(1, $memory['scripts'], 'the value was in opcache all the while');
    }

    public function testOpcacheMemoryUseIsBounded(): void
    {
        $small = [
            ...self::OPCACHE_DEFAULTS,
            'opcache.memory_consumption' => 10,
            'opcache.interned_strings_buffer' => 3,
            'opcache.max_accelerated_files' => 200,
        ];
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
        self::assertTrue(
            $after['oom_restarts'] > 0 || $after['free'] < $after['keep_free'] / 2,
            'the control fills opcache',
        );
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
        // 600 strings of 40 to 56 bytes, and those of the page itself and the library.
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
        $attempts = [
            "'; $code; //", "\\'; $code; //", "' . $code . '", "?><?php $code; ?>", "\"; $code; #", "{\${$code}}",
            "*/ $code; /*", "\n$code;\n", "\0' . $code . '",
        ];
        foreach ($attempts as $attempt) {
            foreach ([
                $attempt,
                [$attempt => $attempt],
                (object) [$attempt => $attempt],
                new \ArrayObject([$attempt]),
            ] as $value) {
                self::assertTrue($cache->set($attempt, $value));
                self::assertEquals($value, $cache->get($attempt));
                self::assertTrue($cache->has($attempt));
            }
        }
        self::assertFileDoesNotExist($marker);
    }

    /** @return iterable<string, array{list<string>}> settings of PHP */
    public static function opcaches(): iterable
    {
        yield 'without opcache' => [['-d', 'opcache.enable_cli=0']];
        yield 'with opcache' => [['-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0']];
        yield 'with opcache in files alone' => [[
            '-d',
            'opcache.enable_cli=1',
            '-d',
            'opcache.file_cache_only=1',
            '-d',
            'opcache.file_cache=' . Servers::directory('opcache-files'),
        ]];
    }

    /** @param list<string> $options */
    #[DataProvider('opcaches')]
    public function testDamagedFileIsAMissAndNothingOfItIsPrinted(array $options): void
    {
        $code = <<<'PHP'
            set_error_handler(static fn(int $level, string $message) => throw new ErrorException($message));
            $directory = %s;
            $cache = Larder\Cache::open('php-file://' . $directory);
            $cache->set('k', ['value ?>', 'b'], 60);
            $file = glob($directory . '/larder/*/*.php')[0];
            $whole = file_get_contents($file);
            $modified = filemtime($file);
            [, $start] = explode('[', $whole);
            $damages = ['zeros' => str_repeat("\0", 4096), 'a page' => '<p>page</p>', 'a script' => '<?php echo "printed"; return [];', 'wrong types' => '<?php return [' . $modified . ',"k","k","k","k"];',
                'another form' => '<?php return [' . $modified . '];', 'no numbers' => "<?php return ['a'=>1];", 'an unknown word' => '<?php return [' . $modified . ',0.0,damage,false,1];',
                'another key' => str_replace("'k'", "'other'", $whole), 'text after it' => $whole . "\ntext"];
            for ($length = 0; $length < strlen($whole); ++$length) {
                $damages["cut after $length"] = substr($whole, 0, $length);
                $damages["zeros after $length"] = str_pad(substr($whole, 0, $length), 4096, "\0");
            }
            foreach ($damages as $what => $bytes) {
                file_put_contents("$file.new", $bytes);
                touch("$file.new", $modified);
                rename("$file.new", $file);
                function_exists('opcache_invalidate') && opcache_invalidate($file, true);
                if ($cache->get('k', 'miss') !== 'miss' || $cache->has('k') || $cache->get('k', 'miss') !== 'miss') { echo "found: $what\n"; }
                if ($what === 'wrong types' && $cache->increment('k') !== 1) { echo "not counted\n"; }
                if (!in_array($what, ['wrong types', 'another key'], true) && iterator_to_array($cache->keys(), false) !== []) { echo "listed: $what\n"; }
            }
            file_put_contents($file, $whole);
            touch($file, $modified);
            function_exists('opcache_invalidate') && opcache_invalidate($file, true);
            echo json_encode($cache->get('k'));
            PHP;
        self::assertSame(
            '["value ?>","b"]',
            PhpProcess::run(
                \sprintf($code, var_export(Servers::directory('php-damage-' . bin2hex(random_bytes(4))), true)),
                $options,
            ),
        );
    }

    /** Opcache then has no memory. An error handler that throws must not be called. */
    public function testOpcacheInFilesAloneIsAsNoOpcache(): void
    {
        $code = \sprintf(<<<'PHP'
            set_error_handler(static fn(int $level, string $message) => throw new ErrorException($message));
            $store = new Larder\Internal\Driver\PhpFile\PhpFileStore(%s);
            $store->set('k', 'old');
            $found = [$store->get('k')];
            $store->set('k', 'new');
            echo json_encode([...$found, $store->get('k'), $store->opcacheMemory(), (new Larder\Internal\Driver\PhpFile\PhpFileDriver())->advice()]);
            PHP, var_export(Servers::directory('php-file-only'), true));
        self::assertSame(
            '["old","new",null,"It is slow while opcache keeps nothing in memory. '
                . 'Set opcache.file_cache_only=0 in php.ini"]',
            PhpProcess::run($code, [...self::opcaches()]['with opcache in files alone'][0]),
        );
    }

    /** Values would be returned in another encoding. */
    public function testPhpThatConvertsScriptsIsRefused(): void
    {
        $code = 'try { Larder\Cache::open("php-file://%1$s"); echo "opened"; '
            . '} catch (Larder\Exception\StoreUnavailable $refusal) { echo $refusal->getMessage(); }';
        $code = \sprintf($code, Servers::directory('multibyte'));
        $said = PhpProcess::run($code, ['-d', 'zend.multibyte=1', '-d', 'zend.script_encoding=ISO-8859-1']);
        self::assertSame(
            'php-file: zend.multibyte is on, so PHP may change the encoding of what it reads. '
                . 'Set zend.multibyte=0 in php.ini, or use file:',
            $said,
        );
        self::assertSame('opened', PhpProcess::run($code, ['-d', 'zend.multibyte=0']));
    }

    public function testFloatsAreExactWithAnyPrecisionSetting(): void
    {
        $code = '$c = Larder\Cache::open("php-file://' . Servers::directory('floats')
            . '"); $c->set("k", [0.1 + 0.2, 1 / 3]); var_dump($c->get("k") === [0.1 + 0.2, 1 / 3]);';
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
        $response = $server->request(
            __DIR__ . '/pages/php-file.php',
            http_build_query(['do' => $do, 'directory' => $directory, 'value' => $value]),
        );
        self::assertSame([200, ''], [$response->status, $response->errors]);

        return (array) json_decode($response->body, true, flags: \JSON_THROW_ON_ERROR);
    }
}
