<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Starts the command as users do: by the launcher at the root. */
final class CompareCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    public function testTablesHaveAtMostEightyColumns(): void
    {
        $run = self::larder([
            'compare',
            '--verbose',
            '--quick',
            '--rounds=2',
            '--stores=apcu,shmop,memcached,predis,mysql-memory,file,php-file,array',
            '--values=10b,50 x 50 array',
        ]);
        $run->mustRun();
        $output = $run->getOutput();
        foreach (explode("\n", $output) as $line) {
            self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
        }
        self::assertStringContainsString(\sprintf('PHP %s (cli), opcache on, JIT off', \PHP_VERSION), $output);
        self::assertMatchesRegularExpression('/^Servers: memcached \d.*mariadb \d/m', $output);
        self::assertMatchesRegularExpression('/^10b$/m', $output);
        self::assertMatchesRegularExpression('/^apcu +[\d.]+ (ns|µs) +[\d.k]+ +250 ns /mu', $output);
        self::assertMatchesRegularExpression('/^php-file +disk \* /m', $output);
        self::assertMatchesRegularExpression('/^predis +tcp .* 931 µs .* 39\.7 ms/mu', $output);
        self::assertStringNotContainsString('FAILS', $output);
        if (\extension_loaded('larder')) {
            self::assertMatchesRegularExpression('/^memcached +tcp \+ /m', $output);
        }
        self::assertMatchesRegularExpression(
            '/^  servers +memcached, Redis, MariaDB +\d:\d\d\n  measuring +\d+ setups, 2 rounds +\d:\d\d\n$/D',
            $run->getErrorOutput(),
        );
    }

    /** The fastest store that processes share has the ratio 1. The array is not shared, so it is not the reference. */
    public function testRatiosAreRelativeToTheFastestSharedStore(): void
    {
        $run = self::larder([
            'compare', '--verbose', '--quick', '--rounds=1', '--stores=shmop,array', '--values=1k', '--operations=get',
        ]);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^shmop .* 1\.00 /m', $run->getOutput());
        self::assertMatchesRegularExpression('/^array .* 0\.\d\d/m', $run->getOutput());
    }

    public function testJsonFileHasTheDocumentedShape(): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/figures.jsonl';
        self::larder([
            'compare', '--quick', '--rounds=1', '--no-servers', '--stores=apcu,redis,file', '--values=10b,array of 4',
            '--json', $file,
        ])->mustRun();
        self::assertShape((string) file_get_contents($file));
        self::assertCount(12, ResultFile::read($file)->rows);
    }

    public function testQuickLookStatesWhatItsRoundsShow(): void
    {
        $run = self::larder(
            ['compare', '--quick', '--no-servers', '--stores=apcu,file,redis', '--values=10b', '--operations=get'],
        );
        $output = (string) preg_replace('/\s+/', ' ', $run->mustRun()->getOutput());
        self::assertStringContainsString('(10 gets), 3 rounds get of 10 B One machine APCu', $output);
        self::assertMatchesRegularExpression(
            '/Use APCu\. It was ahead in all 3 rounds, [\d.,]+ times or more\. apcu:/',
            $output,
        );
        self::assertStringContainsString('Left out: redis: left out by --no-servers', $output);
        self::assertStringContainsString('2 stores, 3 rows, 0 failed', $output);
        self::assertStringNotContainsString('None', $output);
    }

    /** On a terminal, the last screen has the answer, and a bar shows the time left. Elsewhere no line is rewritten. */
    public function testScreenOfATerminal(): void
    {
        $command = ['compare', '--quick', '--no-servers', '--stores=apcu,file,array', '--values=10b,50 x 50 array'];
        $run = new Process([
            'script',
            '-qec',
            'stty cols 80 rows 24; ' . self::ROOT . '/larder ' . implode(' ', array_map(escapeshellarg(...), $command)),
            '/dev/null',
        ], null, ['PHP' => \PHP_BINARY, 'TERM' => 'xterm', 'NO_COLOR' => false], timeout: 600.0);
        $output = strtr($run->mustRun()->getOutput(), ["\r\n" => "\n"]);
        self::assertMatchesRegularExpression('/\r  measuring    ━+╌+  \d+ %  0:\d\d left  /u', $output);
        self::assertStringContainsString("\033[1m  APCu ", $output);
        self::assertLastScreen(substr($output, (int) strpos($output, 'Cache time')));

        $run = self::larder($command);
        self::assertLastScreen($run->mustRun()->getOutput());
        self::assertStringNotContainsString("\033", $run->getOutput());
        self::assertMatchesRegularExpression(
            '/^  measuring    4 setups, 3 rounds +\d:\d\d\n$/D',
            $run->getErrorOutput(),
        );
        $table = (string) file_get_contents(self::ROOT . '/var/compare/table.txt');
        self::assertMatchesRegularExpression('/^apcu +[\d.]+ (ns|µs) /m', $table);
        self::assertStringContainsString('Assumed', $table);
        self::assertCount(16, ResultFile::read(self::ROOT . '/var/compare/result.jsonl')->rows);
        self::assertFileExists(self::ROOT . '/var/compare/report.html');
    }

    private static function assertLastScreen(string $output): void
    {
        self::assertStringStartsWith('Cache time of one request (9 gets, 1 set), 3 rounds', $output);
        self::assertStringEndsWith("compare/result.jsonl --profile FILE\n", $output);
        $lines = explode("\n", (string) preg_replace('/\033\[\d+m/', '', $output));
        self::assertLessThanOrEqual(24, \count($lines));
        foreach ($lines as $line) {
            self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
        }
    }

    /** Interrupted in its second round. The blocks of the first round are not measured again. */
    public function testInterruptedRunIsContinued(): void
    {
        $directory = new TemporaryDirectory();
        $command = [
            'compare',
            '--quick',
            '--no-servers',
            '--rounds=6',
            '--stores=apcu,array',
            '--journal',
            $directory->path . '/journal',
            '--json=-',
        ];
        $first = self::larder($command);
        $first->start();
        $journal = static fn(): string => (string) @file_get_contents($directory->path . '/journal');
        for ($deadline = microtime(
            true,
        ) + 300; substr_count($journal(), "\n") < 4 && microtime(true) < $deadline; usleep(5_000)) {
        }
        $first->signal(\SIGINT);
        self::assertSame(130, $first->wait());
        self::assertStringContainsString('To continue: the same command with --resume.', $first->getErrorOutput());
        $before = $journal();

        $other = self::larder([...$command, '--resume', '--values=10b']);
        self::assertNotSame(0, $other->run());
        self::assertStringContainsString('values: it had not set, this one has 10b.', $other->getErrorOutput());
        self::assertSame($before, $journal());

        $second = self::larder([...$command, '--resume'])->mustRun();
        preg_match_all('/"samples":\[([\d.,]+)\]/', $second->getOutput(), $matches);
        $samples = explode(',', implode(',', $matches[1]));
        self::assertCount(2 * 14 * 2 * 6, $samples);
        preg_match_all('/"[^"]*",([\d.]+),0,"",null,/', stripslashes($before), $figures);
        self::assertGreaterThanOrEqual(3 * 28, \count($figures[1]));
        self::assertSame([], array_diff($figures[1], $samples));
        self::assertFileDoesNotExist($directory->path . '/journal');
    }

    public function testJsonOnStandardOutputComesWithoutTheTables(): void
    {
        $run = self::larder([
            'compare', '--quick', '--rounds=1', '--no-servers', '--stores=apcu,redis,file', '--values=10b,array of 4',
            '--json=-',
        ]);
        self::assertShape($run->mustRun()->getOutput());
    }

    private static function assertShape(string $lines): void
    {
        /** @var list<array<string, mixed>> $rows */
        $rows = array_map(
            static fn(string $line): mixed => json_decode($line, true, flags: \JSON_THROW_ON_ERROR),
            explode("\n", rtrim($lines, "\n")),
        );
        $header = array_shift($rows);
        self::assertIsArray($header);
        self::assertSame(['format', 'checksum', 'environment', 'spoilers', 'not_measured'], array_keys($header));
        self::assertIsArray($header['environment']);
        self::assertSame(
            [
                'larder', 'date', 'php', 'sapi', 'opcache', 'jit', 'extensions', 'servers', 'system', 'processor',
                'cores', 'pinned_to', 'file_systems', 'clock', 'rounds', 'options',
            ],
            array_keys($header['environment']),
        );
        self::assertIsArray($header['not_measured']);
        self::assertCount(2 * 2, $header['not_measured']);
        self::assertSame(
            [
                'table' => 'compare', 'store' => 'redis', 'connection' => null, 'value' => '10b', 'bytes' => 10,
                'operation' => 'get', 'unit' => 'ns', 'settings' => [], 'reason' => 'left out by --no-servers',
            ],
            $header['not_measured'][0],
        );
        self::assertCount(3 * 2 * 2, $rows);
        $seen = [];
        foreach ($rows as $row) {
            self::assertSame(
                [
                    'table' => 'string', 'store' => 'string',
                    'connection' => $row['store'] === 'apcu' ? 'null' : 'string', 'value' => 'string', 'bytes' => 'int',
                    'operation' => 'string', 'unit' => 'string', 'settings' => 'array',
                    'median' => 'float', 'low' => 'null', 'high' => 'null', 'samples' => 'array', 'failures' => 'int',
                    'problem' => 'string', 'histogram' => 'null',
                    'published' => $row['published'] === null ? 'null' : 'array', 'notes' => 'array',
                ],
                array_map(get_debug_type(...), $row),
            );
            $seen[] = [$row['store'], $row['value'], $row['operation']];
        }
        self::assertContains(['apcu', 'array of 4', 'set'], $seen);
    }

    #[TestWith(['--stores', 'apcu,mongodb', '--stores: mongodb is not known. Known: larder, apcu, yac,'])]
    #[TestWith(['--values', '3k', '--values: 3k is not known. Known: 10b, 0.1k,'])]
    #[TestWith(['--operations', 'delete', '--operations: delete is not known. Known: get, set.'])]
    #[TestWith(['--study', '1999', '--study: 1999 is not known. Known: '])]
    #[TestWith(['--rounds', '0', '--rounds: 0 is not a number from 1 to 9999.'])]
    #[TestWith(['--json', '/no/such/directory/file.json', '--json: /no/such/directory/file.json cannot be written.'])]
    #[TestWith(['--json', '/dev', '--json: /dev cannot be written.'])]
    public function testInvalidOptionsAreRefusedBeforeMeasuring(string $option, string $value, string $message): void
    {
        $run = self::larder(['compare', $option, $value]);
        self::assertNotSame(0, $run->run());
        self::assertStringContainsString($message, (string) preg_replace('/\s+/', ' ', $run->getErrorOutput()));
        self::assertSame('', $run->getOutput());
    }

    public function testUnwritableFileFailsAfterTheAnswerIsPrinted(): void
    {
        $run = self::larder([
            'compare', '--quick', '--rounds=1', '--no-servers', '--stores=array', '--values=10b', '--operations=get',
            '--json', '/dev/full',
        ]);
        self::assertSame(1, $run->run());
        self::assertStringContainsString(
            '/dev/full could not be written',
            (string) preg_replace('/\s+/', ' ', $run->getErrorOutput()),
        );
        self::assertStringNotContainsString(
            'file_put_contents():',
            explode('could not be written', $run->getErrorOutput())[0],
        );
        self::assertStringContainsString('1 store, 1 row, 0 failed', $run->getOutput());
    }

    public function testAssertionsAreRefused(): void
    {
        $run = new Process([
            \PHP_BINARY,
            '-d',
            'zend.assertions=1',
            self::ROOT . '/cli/bin/larder',
            'compare',
            '--quick',
            '--stores=array',
        ]);
        self::assertSame(1, $run->run());
        self::assertStringContainsString('Assertions are on (zend.assertions=1)', $run->getErrorOutput());
        self::assertSame('', $run->getOutput());
    }

    /** dev/setup unpacks Xdebug without installing it, like Yac. */
    public function testXdebugIsRefused(): void
    {
        $xdebug = \sprintf('%s/var/xdebug/%s/xdebug.so', (string) realpath(self::ROOT), Php::version());
        if (!is_file($xdebug)) {
            self::markTestSkipped($xdebug . ' is not there');
        }
        $run = new Process([
            \PHP_BINARY,
            '-d',
            'zend_extension=' . $xdebug,
            self::ROOT . '/cli/bin/larder',
            'compare',
            '--quick',
            '--stores=array',
        ]);
        self::assertSame(1, $run->run());
        self::assertStringContainsString('Xdebug is loaded', $run->getErrorOutput());
        self::assertSame('', $run->getOutput());
    }

    /** Each store's own extension is removed; the message says how to install it. */
    public function testMissingExtensionIsReportedWithTheCommandThatInstallsIt(): void
    {
        $others = new TemporaryDirectory();
        foreach (explode(',', (string) php_ini_scanned_files()) as $file) {
            if (preg_match('/apcu|redis/', $file) === 0) {
                symlink(trim($file), $others->path . '/' . basename($file));
            }
        }
        $run = self::larder(
            ['compare', '--quick', '--rounds=1', '--stores=apcu,redis,array', '--values=10b'],
            ['PHP_INI_SCAN_DIR' => $others->path],
        );
        $run->mustRun();
        $output = (string) preg_replace('/\s+/', ' ', $run->getOutput());
        self::assertStringContainsString(
            \sprintf(
                'apcu: the PHP extension apcu is not loaded. To add it: apt-get install php%s-apcu',
                Php::version(),
            ),
            $output,
        );
        self::assertStringContainsString(\sprintf('apt-get install php%s-redis', Php::version()), $output);
    }

    public function testMissingServerIsReportedWithItsPackage(): void
    {
        // A PATH with everything that the command needs, except the server.
        $path = new TemporaryDirectory();
        foreach (['sh', 'rm', 'env', 'setsid', 'setpriv', 'taskset', 'readlink', 'dirname'] as $program) {
            symlink('/usr/bin/' . $program, $path->path . '/' . $program);
        }
        symlink(\PHP_BINARY, $path->path . '/php');
        $run = self::larder(
            ['compare', '--quick', '--rounds=1', '--stores=memcached,array', '--values=10b'],
            ['PATH' => $path->path],
        );
        $run->mustRun();
        self::assertStringContainsString(
            'Left out: memcached: memcached is not installed. To add it: apt-get install memcached',
            (string) preg_replace('/\s+/', ' ', $run->getOutput()),
        );
        self::assertMatchesRegularExpression('/^  servers +memcached failed +\d:\d\d$/m', $run->getErrorOutput());
    }

    public function testHelpListsEveryStore(): void
    {
        $help = self::larder(['compare', '--help']);
        $help->mustRun();
        self::assertStringContainsString(
            implode(', ', Catalog::names()),
            (string) preg_replace('/\s+/', ' ', $help->getOutput()),
        );
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $environment
     */
    private static function larder(array $arguments, array $environment = []): Process
    {
        return new Process(
            [self::ROOT . '/larder', ...$arguments],
            null,
            ['PHP' => \PHP_BINARY, ...$environment],
            timeout: 600.0,
        );
    }
}
