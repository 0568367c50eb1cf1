<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Every command for operation takes --user, --segment, --dsn, --json and --yes, or says why not. */
#[RequiresPhpExtension('larder')]
final class CommonOptionsTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    private TemporaryDirectory $folder;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
    }

    /**
     * @return iterable<string, array{list<string>, string|null, int, list<string>}> its words, a part of the reason why it
     *         takes no --dsn, its exit code with --json, and the keys that its help names
     */
    public static function commands(): iterable
    {
        yield 'doctor' => [['doctor'], null, 0, ['code', 'php', 'engine', 'stores', 'auto']];
        yield 'top' => [['top'], 'Only the engine, and a Redis', 0, ['segment', 'hit_rate', 'per_second', 'holders']];
        yield 'keys' => [['keys'], null, 0, ['entries', 'count', 'bytes', 'library', 'cleared']];
        yield 'du' => [['du'], 'Only the engine reports the sizes', 0, ['prefixes', 'library', 'cleared']];
        yield 'get' => [['get', "k\xff"], null, 0, ['key', 'value', 'size', 'age', 'ttl', 'read', 'tags']];
        yield 'delete' => [['delete', "k\xff"], null, 0, ['deleted']];
        yield 'warm' => [['warm', 'SCRIPT'], 'in the engine only', 0, ['busy', 'stored', 'seconds', 'entries', 'bytes', 'evicted', 'script_code']];
        yield 'dump' => [['dump', 'FILE'], null, 0, ['file', 'entries', 'bytes', 'skipped']];
        yield 'load' => [['load', 'FILE', '--into-older'], 'in the engine only', 0, ['file', 'entries', 'there', 'expired', 'refused', 'skipped']];
        yield 'resize' => [['resize'], 'in the engine only', 0, ['path', 'size', 'processes', 'is_new']];
    }

    /**
     * @param list<string> $words
     * @param list<string> $keys
     */
    #[DataProvider('commands')]
    public function testItTakesThemOrSaysWhyNot(array $words, ?string $whyNoDsn, int $code, array $keys): void
    {
        $words = str_replace('SCRIPT', $this->folder->write('warm.php', "<?php echo \"said\\xff\\n\"; larder_store('w', 1);"), $words);
        $files = $this->folder->path . "/b\xffd.dump";
        $words = str_replace('FILE', $files, $words);
        $user = posix_getpwuid(posix_geteuid())['name'] ?? '';
        $common = ['--user', $user, '--segment', 'common', '--json', '--yes'];
        self::assertSame(0, $this->store('larder_store("k\\xff", "v\\xff\\x1b");')->getExitCode());
        if ($words[0] === 'load') {
            self::assertSame(0, $this->larder('dump', $files, ...$common)->getExitCode());
        }

        $process = $this->larder(...$words, ...$common);
        self::assertSame($code, $process->getExitCode(), $process->getErrorOutput() . $process->getOutput());
        self::assertSame(1, preg_match('//u', $process->getOutput()), 'the output is UTF-8');
        $data = json_decode($process->getOutput(), true, 512, \JSON_THROW_ON_ERROR);
        self::assertIsArray($data);
        self::assertSame([], array_diff($keys, array_keys($data)), $process->getOutput());

        $empty = $this->folder->add('files');
        $process = $this->larder($words[0], ...\array_slice($words, 1), ...$common, ...['--dsn', "file://$empty"]);
        if ($whyNoDsn !== null) {
            self::assertSame(3, $process->getExitCode(), $process->getOutput());
            self::assertStringContainsString($whyNoDsn, $process->getErrorOutput());
        } else {
            self::assertContains($process->getExitCode(), [0, 1], $process->getErrorOutput());
            self::assertStringNotContainsString('option does not exist', $process->getErrorOutput());
        }
    }

    /** The keys of the JSON are in --help where they are not those that the screen shows. */
    public function testHelpNamesTheKeys(): void
    {
        foreach (self::commands() as $name => [$words, , , $keys]) {
            $help = $this->larder($words[0], '--help')->getOutput();
            foreach (['--user', '--segment', '--dsn', '--json', '--yes'] as $option) {
                self::assertStringContainsString($option, $help, $name);
            }
            foreach ($keys as $key) {
                self::assertStringContainsString("\"$key\"", $help, $name);
            }
        }
    }

    private function store(string $code): Process
    {
        return $this->process([...$this->php(), '-d', 'larder.segment=common', '-r', $code]);
    }

    private function larder(string ...$words): Process
    {
        return $this->process([...$this->php(), self::ROOT . '/cli/bin/larder', ...array_values($words)]);
    }

    /** @param list<string> $command */
    private function process(array $command): Process
    {
        $engine = PhpProcess::engine(); // for the processes that a command starts
        $process = new Process($command, env: $engine === [] ? [] : [Php::ENGINE_VARIABLE => $engine[0]]);
        $process->run();

        return $process;
    }

    /** @return list<string> */
    private function php(): array
    {
        return PhpProcess::commandWithEngine('larder.path=' . $this->folder->path, 'larder.size=8M');
    }
}
