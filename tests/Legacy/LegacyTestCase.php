<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use Larder\ProjectTests\Repository;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** Runs code that calls the older functions in separate processes, which share one cache. */
abstract class LegacyTestCase extends TestCase
{
    /** phpBB 3.1 does this with all superglobals after loading its packages. */
    protected const REPLACE_SERVER = '$_SERVER = new class implements ArrayAccess {
        public function offsetExists(mixed $name): bool { throw new Error("read"); }
        public function offsetGet(mixed $name): mixed { throw new Error("read"); }
        public function offsetSet(mixed $name, mixed $value): void { throw new Error("changed"); }
        public function offsetUnset(mixed $name): void { throw new Error("changed"); }
    }; ';

    /** Folder of the test's cache, and of its files. */
    protected string $folder;

    protected function setUp(): void
    {
        $this->folder = '/dev/shm/larder-legacy-' . bin2hex(random_bytes(4));
        mkdir($this->folder, 0o700);
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    /**
     * Result of the code, through JSON.
     *
     * @param array<string, string> $settings PHP's settings, by name
     */
    protected function returned(string $code, array $settings = []): mixed
    {
        $process = $this->process($code, $settings);
        $process->run();
        self::assertSame(0, $process->getExitCode(), $process->getOutput() . $process->getErrorOutput());

        return json_decode($process->getOutput(), true, flags: \JSON_THROW_ON_ERROR);
    }

    /**
     * Result of the code as $said, and all messages and levels of PHP during that.
     *
     * @return array{mixed, list<string>}
     */
    protected function returnedAndWarned(string $code): array
    {
        $read = $this->returned('$warnings = [];
            set_error_handler(function (int $level, string $message) use (&$warnings): bool { $warnings[] = $message; return true; });
            $said = (function () { ' . $code . ' })();
            return [$said, $warnings];');
        self::assertIsArray($read);
        self::assertIsArray($read[1]);

        return [$read[0], array_values(array_map(static fn(mixed $message): string => \is_string($message) ? $message : '', $read[1]))];
    }

    /**
     * Returns a process that is not started yet.
     *
     * @param array<string, string> $settings PHP's settings, by name
     */
    protected function process(string $code, array $settings = []): Process
    {
        return $this->script(['-r', 'chdir(' . var_export($this->folder, true) . '); ' . $this->loading() . 'echo json_encode((function () { ' . $code . ' })(), JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);'], $settings);
    }

    /**
     * Runs the code in several processes, which start at the same moment.
     *
     * @param array<string, string> $settings PHP's settings, by name
     */
    protected function inParallel(int $count, string $code, array $settings = []): void
    {
        $begin = 'touch("ready" . getmypid()); while (!file_exists("go")) { usleep(100); } ';
        $processes = array_map(fn(): Process => $this->process($begin . $code . ' return 1;', $settings), range(1, $count));
        array_map(static fn(Process $process) => $process->start(), $processes);
        $this->waitFor(fn(): bool => \count((array) glob("$this->folder/ready*")) === $count);
        touch("$this->folder/go");
        array_map(static fn(Process $process): int => $process->wait(), $processes);
        (new Filesystem())->remove(["$this->folder/go", ...array_map(strval(...), (array) glob("$this->folder/ready*"))]);
    }

    /** @param \Closure(): bool $isReady */
    protected function waitFor(\Closure $isReady): void
    {
        for ($i = 0; $i < 12_000 && !$isReady(); ++$i) {
            usleep(10_000);
        }
        self::assertTrue($isReady(), 'waited two minutes');
    }

    protected function loading(): string
    {
        return \sprintf('require %s; require %s; ', var_export(Repository::ROOT . '/vendor/autoload.php', true), var_export(Repository::ROOT . '/compat/legacy/bootstrap.php', true));
    }

    /**
     * Returns a process that is not started yet.
     *
     * @param list<string> $arguments of PHP
     * @param array<string, string> $settings PHP's settings, by name
     */
    protected function script(array $arguments, array $settings = []): Process
    {
        return Repository::process($this->command($arguments, $settings), timeout: 600);
    }

    /**
     * @param list<string> $arguments of PHP
     * @param array<string, string> $settings PHP's settings, by name
     * @return list<string>
     */
    protected function command(array $arguments, array $settings = []): array
    {
        // In Debian, posix is a module.
        $options = is_file(\ini_get('extension_dir') . '/posix.so') ? ['-d', 'extension=posix'] : [];
        foreach ($settings + ['extension' => Repository::ROOT . '/extension/modules/larder.so', 'larder.path' => $this->folder, 'larder.size' => '16M', 'display_errors' => 'stderr', 'error_reporting' => '-1', 'zend.assertions' => '1'] as $name => $value) {
            array_push($options, '-d', "$name=$value");
        }

        return [\PHP_BINARY, '-n', ...$options, ...$arguments];
    }
}
