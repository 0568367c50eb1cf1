<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Finder\Finder;
use Symfony\Component\Process\Process;

/** Every command runs without the packages of the tests: in a clone, and as a package. */
final class ToolCommandsTest extends TestCase
{
    /** Arguments of each command, its output, and its exit code if it is not 0. */
    private const COMMANDS = [
        'compare' => [['--quick', '--rounds', '1', '--stores', 'array,file', '--values', '10b', '--no-servers'], '/^  files /m'],
        'delete' => [['absent'], '/^Deleted 0 entries of /m', 1],
        'doctor' => [[], '/Processes share it\.$/m'],
        'du' => [[], '/, segment default/'],
        'dump' => [['--prefix', 'absent:', '%1$s/warm.dump'], '/^No entries begin with "absent:" in segment /m', 1],
        'get' => [['absent'], '/^There is no entry "absent" in /m', 1],
        'keys' => [[], '/, segment default/'],
        'listen' => [['tier:(file://%1$s/local)(redis://%1$s/redis/redis.sock)'], '/listening to .*redis\.sock for changes/'],
        'load' => [['%1$s/absent'], '/absent is no file\. /', 1],
        'resize' => [['--yes'], '/MiB, \d+ processes/'],
        'sample' => [[], '/^(Nothing was recorded for the user|[\d,]+ samples from) /'],
        'serializers' => [['--values', '10b', '--rounds', '1'], '/^10b +php +\d+/m'],
        'stampede' => [['--processes', '3', '--compute', '10', 'file://%1$s/files', 'redis://%1$s/redis/redis.sock'], '~^file://\S+ +1 +\d+ ms +2 +\d+ ms\Rredis://\S+ +1 +\d+ ms +2 +\d+ ms$~m'],
        'top' => [['--once'], '/^Memory .* entries; /m'],
        'warm' => [['%1$s/absent'], '~can read no file .*/absent: ~', 3],
    ];

    private static ?CloneWithoutDev $clone = null;
    private static ?EmptyProject $project = null;

    public static function tearDownAfterClass(): void
    {
        self::$clone = self::$project = null;
    }

    /** @return iterable<string, array{string}> */
    public static function commands(): iterable
    {
        foreach (array_keys(self::COMMANDS) as $command) {
            yield $command => [$command];
        }
    }

    public function testEveryCommandIsTried(): void
    {
        $list = self::clone()->run(['./larder', 'list', '--raw'])->mustRun()->getOutput();
        preg_match_all('/^(\w+) /m', $list, $names);

        self::assertSame(array_keys(self::COMMANDS), array_values(array_diff($names[1], ['completion', 'help', 'list'])));
    }

    public function testCloneHasNoTestPackages(): void
    {
        self::assertFileExists(self::clone()->folder . '/vendor/symfony/console');
        self::assertFileDoesNotExist(self::clone()->folder . '/vendor/phpunit');
        self::assertSame('', self::clone()->run([\PHP_BINARY, '-r', 'require "vendor/autoload.php"; class_exists("Larder\Testing\Fork") && print("it is there");'])->mustRun()->getOutput());
    }

    #[DataProvider('commands')]
    public function testCommandRunsInAClone(string $command): void
    {
        $this->assertRuns($command, static fn(array $words): Process => self::clone()->run(['./larder', ...$words]));
    }

    /** The package does not contain the engine, which is loaded separately. */
    #[DataProvider('commands')]
    public function testCommandRunsAsAPackage(string $command): void
    {
        $engine = realpath(Repository::ROOT . '/extension/modules/larder.so');
        $start = 'php -r "exit((int) extension_loaded(\"larder\"));" && LARDER_EXTENSION="$0" exec php -d "extension=$0" vendor/bin/larder "$@"; exec vendor/bin/larder "$@"';
        $this->assertRuns($command, static fn(array $words): Process => self::project()->run(['sh', '-c', $start, (string) $engine, ...$words]));
    }

    /** Code of a package that names a test class would work only in a clone. */
    public function testShippedCodeDoesNotNameTestClasses(): void
    {
        self::assertSame([], self::thoseThatNameTests(['library/src', 'cli/src', 'cli/bin']));
    }

    public function testNamedTestClassIsNoticed(): void
    {
        self::assertNotSame([], self::thoseThatNameTests(['library/testing']));
        self::assertNotSame([], self::thoseThatNameTests(['library/tests', 'cli/tests']));
    }

    /** @param \Closure(list<string>): Process $start */
    private function assertRuns(string $command, \Closure $start): void
    {
        // Tries again if the server stood still longer than its timeout, which the command reports.
        $tries = 0;
        do {
            $process = self::runOnce($command, $start);
        } while (str_contains($process->getOutput(), 'answers nothing') && ++$tries < 5);
        $said = $process->getOutput() . $process->getErrorOutput();
        self::assertSame(self::COMMANDS[$command][2] ?? 0, $process->getExitCode(), $said);
        self::assertMatchesRegularExpression(self::COMMANDS[$command][1], $said);
        self::assertStringNotContainsString('Class "', $said);
    }

    /** @param \Closure(list<string>): Process $start */
    private static function runOnce(string $command, \Closure $start): Process
    {
        [$arguments, $printed] = self::COMMANDS[$command];
        $directory = new TemporaryDirectory();
        $redis = str_contains(implode(' ', $arguments), 'redis:') ? RedisServer::start($directory->add('redis')) : null;
        $process = $start([$command, ...array_map(static fn(string $argument): string => \sprintf($argument, $directory->path), $arguments)]);
        $process->start();
        if ($command === 'listen') { // runs until it is stopped
            for ($end = microtime(true) + 60; preg_match($printed, $process->getOutput()) !== 1 && $process->isRunning() && microtime(true) < $end;) {
                usleep(10_000);
            }
            $process->signal(\SIGTERM);
        }
        $process->wait();
        $redis?->stop();

        return $process;
    }

    /**
     * @param list<string> $folders
     * @return list<string> files
     */
    private static function thoseThatNameTests(array $folders): array
    {
        $found = [];
        foreach (Finder::create()->files()->in(array_map(static fn(string $folder): string => Repository::ROOT . "/$folder", $folders)) as $file) {
            if (preg_match('/Larder\\\\+(Testing|Tests|ProjectTests|Dev|Cli\\\\+Tests)\b|PHPUnit\\\\/', $file->getContents()) === 1) {
                $found[] = $file->getPathname();
            }
        }

        return $found;
    }

    private static function clone(): CloneWithoutDev
    {
        return self::$clone ??= new CloneWithoutDev();
    }

    private static function project(): EmptyProject
    {
        if (self::$project === null) {
            self::$project = new EmptyProject();
            self::$project->require('larder/cli', ['--dev']);
        }

        return self::$project;
    }
}
