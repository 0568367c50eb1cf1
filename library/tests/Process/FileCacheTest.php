<?php

declare(strict_types=1);

namespace Larder\Tests\Process;

use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

/** Code that opcache has compiled into its file cache in a PHP with extensions runs in a PHP without them. */
#[RequiresPhpExtension('Zend OPcache')]
#[RequiresPhpExtension('larder')]
final class FileCacheTest extends TestCase
{
    /** Extensions that only the first PHP has; the file cache does not depend on these. */
    private const WITHOUT = '(apcu|igbinary|redis|memcached?|msgpack|zstd|lz4|pgsql|pdo_\w+|mysqli|sqlite3|shmop|posix|sockets|yac|larder)';

    private const CODE = <<<'PHP'
        echo extension_loaded('apcu') ? 'with' : 'without', "\n";
        try {
            $cache = \Larder\Cache::open('%s');
            $cache->set('key', 'value');
            var_dump($cache->get('key'), $cache->remember('made', 5, fn() => 'made'), $cache->lock('lock', 1) !== null);
        } catch (\Larder\Exception\StoreUnavailable $none) {
            echo $none->what, "\n";
        }
        foreach (\Larder\Drivers::all() as $driver) {
            $driver->variants();
            if ($driver instanceof \Larder\Internal\Driver\Diagnoses) { $driver->advice(); }
        }
        \Larder\Internal\Driver\Apcu\Apcu::isSplit();
        echo \Larder\Process\Pid::own() === getmypid() ? 'its own' : 'another';
        PHP;

    /**
     * @return iterable<string, array{0: string, 1: string, 2?: true}> a DSN, where %s is a directory; the second PHP's
     *         output; true if the first PHP has the engine
     */
    public static function stores(): iterable
    {
        $works = "string(5) \"value\"\nstring(4) \"made\"\nbool(true)\n";
        $missing = static fn(string $extension): string => "the PHP extension $extension is not loaded\n";
        yield 'auto, engine' => ['auto:', $works, true];
        yield 'larder, engine' => ['larder:', $missing('larder'), true];
        yield 'auto' => ['auto:', $works];
        yield 'apcu' => ['apcu:', $missing('apcu')];
        yield 'array' => ['array:', $works];
        yield 'file' => ['file://%s', $works];
        yield 'file, igbinary' => ['file://%s?serializer=igbinary', $missing('igbinary')];
        yield 'file, msgpack' => ['file://%s?serializer=msgpack', $missing('msgpack')];
        yield 'php-file' => ['php-file://%s', $works];
        yield 'tier' => ['tier:(auto:)(file://%s)', $works];
        yield 'sqlite' => ['sqlite://%s/cache.sqlite', $missing('pdo_sqlite')];
        yield 'redis' => ['redis://127.0.0.1:1', $missing('redis')];
        yield 'memcached' => ['memcached://127.0.0.1:1', "NULL\nstring(4) \"made\"\nbool(false)\n"];
        yield 'pgsql' => ['pgsql://user@127.0.0.1:1/cache', $missing('pgsql')];
        yield 'mysql' => ['mysql://user@127.0.0.1:1/cache', $missing('pdo_mysql')];
        yield 'shmop' => ['shmop:', $missing('shmop')];
    }

    #[DataProvider('stores')]
    public function testCodeCompiledWithExtensionsRunsWithoutThem(
        string $dsn,
        string $said,
        bool $hasEngine = false,
    ): void {
        [$with, $without] = self::twoPhps($hasEngine);
        $code = \sprintf(self::CODE, \sprintf($dsn, Servers::directory('files')));
        self::assertStringStartsWith("with\n", PhpProcess::run($code, ...$with));
        self::assertSame("without\n{$said}its own", PhpProcess::run($code, ...$without));
    }

    #[RequiresPhpExtension('igbinary')]
    public function testValueOfAMissingSerializerIsAMiss(): void
    {
        [$with, $without] = self::twoPhps();
        $dsn = 'file://' . Servers::directory('files');
        $get = '; var_dump($cache->get("key"));';
        self::assertSame(
            "string(5) \"value\"\n",
            PhpProcess::run(
                "\$cache = \\Larder\\Cache::open('$dsn?serializer=igbinary'); \$cache->set('key', 'value')$get",
                ...$with,
            ),
        );
        self::assertSame(
            "string(5) \"value\"\n",
            PhpProcess::run("\$cache = \\Larder\\Cache::open('$dsn')$get", ...$with),
        );
        self::assertSame("NULL\n", PhpProcess::run("\$cache = \\Larder\\Cache::open('$dsn')$get", ...$without));
    }

    /**
     * An application asks in the usual way, which the compiler evaluates, and calls a function that the second PHP
     * lacks.
     */
    public function testPhpWithTheEngineKeepsItsCompiledCodeApart(): void
    {
        [$with, $without] = self::twoPhps(hasEngine: true);
        $file = Servers::directory('application') . '/page.php';
        file_put_contents(
            $file,
            '<?php echo extension_loaded("larder") ? var_export(larder_exists("no such key"), true) : "without";',
        );
        self::assertSame('false', PhpProcess::run("include '$file';", ...$with));
        self::assertSame('without', PhpProcess::run("include '$file';", ...$without));
        self::assertSame('false', PhpProcess::run("include '$file';", ...$with));
    }

    /**
     * The optimizer evaluates these calls at compile time. Code that it removes is missing where the answer is
     * different.
     */
    public function testNoQuestionIsAnsweredByTheCompiler(): void
    {
        $pattern = '~\b(?:extension_loaded|function_exists|is_callable)\(\s*[\'"](?!Zend OPcache)~';
        self::assertSame(1, preg_match($pattern, '\function_exists(\'apcu_fetch\')'));
        $found = [];
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(
            \dirname(__DIR__, 2) . '/src',
            \FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            $found = [...$found, ...(array) preg_grep($pattern, (array) file($file->getPathname()))];
        }
        self::assertSame([], array_map(trim(...), array_filter($found, is_string(...))));
    }

    /** @return array{array{list<string>, string}, array{list<string>, string}} arguments of PhpProcess::run() */
    private static function twoPhps(bool $hasEngine = false): array
    {
        $few = Servers::directory('settings');
        foreach (array_map(trim(...), explode(',', (string) php_ini_scanned_files())) as $file) {
            if ($file !== '' && preg_match('~/(\d+-)?' . self::WITHOUT . '\.ini$~', $file) !== 1) {
                copy($file, "$few/" . basename($file));
            }
        }
        $options = [
            '-d',
            'opcache.enable_cli=1',
            '-d',
            'opcache.file_cache=' . Servers::directory('compiled'),
            '-d',
            'opcache.file_update_protection=0',
        ];
        $engine = $hasEngine && !PhpProcess::hasEngine() ? PhpProcess::withEngine() : [];

        return [
            [[
                ...$options,
                ...$engine,
                '-d',
                'apc.enable_cli=1',
                '-d',
                'larder.segment=' . ini_get('larder.segment'),
            ], ':'],
            [$options, "export PHP_INI_SCAN_DIR='$few'"],
        ];
    }
}
