<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Testing\AssertsThrows;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/** Passes fetched values to code that writes into its arguments. */
#[Group('proof')]
final class HandedOnTest extends EngineTestCase
{
    use AssertsThrows;

    private const OPCACHE = ['opcache.enable' => 1, 'opcache.file_update_protection' => 0];

    /**
     * Each is requested twice, by workers that share opcache's memory: first it is compiled, then found under another
     * name.
     */
    private const WAYS = ['include', 'require', 'include_once', 'require_once', 'opcache_compile_file', 'stream_resolve_include_path'];

    public function testFetchedPathsCanBeIncluded(): void
    {
        [$tried, $failed] = $this->includeAll(Proof::amount(1, 20));
        Proof::record('holding.included', $tried, 'files that a worker under opcache was given by a fetched path', $failed);
    }

    /** The control: opcache gets the fetched strings themselves. */
    public function testWorkerCrashesWhenOpcacheCountsReferencesToAFetchedPath(): void
    {
        $this->useCarelessBuild();
        [$tried, $failed] = $this->includeAll(1);
        Proof::control('holding.included', 'a build that hands the strings themselves to opcache', $tried, $failed);
    }

    public function testInPlaceConversionsLeaveTheCacheUnchanged(): void
    {
        self::assertSame([0, 0], $this->convertAll());
    }

    /** The control: these functions write into their arguments. */
    public function testInPlaceConversionsChangeTheirArgument(): void
    {
        if (\PHP_VERSION_ID >= 80_400) {
            self::markTestSkipped('from PHP 8.4 on these convert copies');
        }
        $this->useCarelessBuild();
        [$failed, $said] = $this->convertAll();
        self::assertGreaterThan(0, $failed);
        self::assertSame($failed, $said, 'each said why it ended');
    }

    /** @return iterable<string, array{array<string, string>, array<string, string>}> */
    public static function logs(): iterable
    {
        yield 'of FPM, which catches what workers print' => [['catch_workers_output' => 'yes'], []];
        yield 'of PHP' => [['catch_workers_output' => 'no'], ['error_log' => 'php.log']];
    }

    /**
     * @param array<string, string> $directives
     * @param array<string, string> $ini
     */
    #[DataProvider('logs')]
    public function testStrayWriteEndsOneWorkerWithAMessage(array $directives, array $ini): void
    {
        self::needsForeignFunctions();
        $folder = $this->sandbox->folder();
        $ini = array_map(static fn(string $name): string => "$folder/$name", $ini);
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, ini: $ini, directives: $directives)], self::OPCACHE + ['ffi.enable' => '1']);
        $fpm->run('larder_store("value", ["text" => str_repeat("all is well ", 10)]);');
        self::assertThrows(PhpFailed::class, static fn() => $fpm->run('$value = larder_fetch("value"); ' . self::strayWrite('$value["text"]')));
        $log = static fn(): string => $fpm->log() . implode('', array_map(static fn(string $file): string => (string) @file_get_contents($file), $ini));
        Wait::until(static fn(): bool => str_contains($fpm->log(), 'SIGSEGV)') && str_contains($log(), 'larder: the write happened in'), 'the master has noticed');
        self::assertMatchesRegularExpression('/larder: process \d+ is killed by SIGSEGV because it tried to write to a cached value, at 0x[0-9a-f]+\..*larder\.zero_copy=0/', $log());
        self::assertMatchesRegularExpression('/larder: the write happened in \w+\(\), called from \S+\.php:1/', $log());
        self::assertSame(['text' => str_repeat('all is well ', 10)], $fpm->run('return larder_fetch("value");'));
    }

    public function testStrayWriteEndsTheCommandLineWithAMessage(): void
    {
        self::needsForeignFunctions();
        [$signal, $errors] = $this->ends('larder_store("value", str_repeat("text", 10)); ' . self::strayWrite('larder_fetch("value")'));
        self::assertSame(\SIGSEGV, $signal);
        self::assertStringContainsString('because it tried to write to a cached value', $errors);

        [$signal, $errors] = $this->ends('ini_set("larder.zero_copy", "0"); larder_store("value", str_repeat("text", 10)); ' . self::strayWrite('larder_fetch("value")') . ' echo "goes on";');
        self::assertSame([0, 'goes on'], [$signal, $errors]);
    }

    public function testOtherFaultsAreNotReportedAsStrayWrites(): void
    {
        self::needsForeignFunctions();
        foreach ([
            'a write elsewhere' => 'larder_fetch("value"); FFI::cdef("void *memset(intptr_t, int, size_t);")->memset(16, 0, 1);',
            'a signal that was sent' => 'larder_fetch("value"); posix_kill(getmypid(), SIGSEGV); sleep(5);',
            'a stack that is used up' => 'larder_fetch("value"); class A { function __toString() { return "$this"; } } (string) new A();',
        ] as $what => $code) {
            [$signal, $errors] = $this->ends($code);
            self::assertSame([\SIGSEGV, ''], [$signal, $errors], $what);
        }
    }

    private static function needsForeignFunctions(): void
    {
        if (!\extension_loaded('FFI')) {
            self::markTestSkipped('writes by FFI, which is not loaded');
        }
    }

    private static function strayWrite(string $string): string
    {
        return "FFI::cdef('void *memset(char *, int, size_t);')->memset($string, 65, 1);";
    }

    /** @return array{int, string} the signal that ended a script, or 0, and its whole output */
    private function ends(string $code): array
    {
        // otherwise PHP 8.3 and newer would throw an Error
        $ini = ['opcache.enable_cli' => '1', 'ffi.enable' => '1', 'zend.max_allowed_stack_size' => '-1'];
        $command = $this->sandbox->command(\PHP_BINARY, User::site(), $ini);
        $process = new Process([...$command, '-r', $code]);
        $signal = 0;
        try {
            $process->run();
        } catch (ProcessSignaledException $ended) {
            $signal = $ended->getSignal();
        }

        return [$signal, trim($process->getOutput() . $process->getErrorOutput())];
    }

    /** @return array{int, int} number of tries, and how often a worker ended */
    private function includeAll(int $times): array
    {
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: 2)], self::OPCACHE);
        $folder = $this->sandbox->folder();
        mkdir("$folder/real");
        symlink('real', "$folder/link");
        $tried = $failed = 0;
        for ($time = 0; $time < $times; ++$time) {
            foreach (['real', 'link', 'real/../link', './real', '/real/', 'file'] as $number => $spelling) {
                foreach (self::WAYS as $way) {
                    $name = "$time-$number-$way.php";
                    file_put_contents("$folder/real/$name", '<?php return 1;');
                    touch("$folder/real/$name", time() - 100);
                    $path = $spelling === 'file' ? "file://$folder/real/$name" : "$folder/$spelling/$name";
                    foreach ([$path, $path, "$folder/link/./$name"] as $spelled) {
                        $code = \sprintf('larder_store("path", %s); $path = larder_fetch("path"); return (bool) %s($path);', var_export($spelled, true), $way);
                        ++$tried;
                        try {
                            $failed += $fpm->run($code) === true ? 0 : 1;
                        } catch (PhpFailed) {
                            ++$failed;
                        }
                    }
                }
            }
        }

        return [$tried, $failed];
    }

    /** @return array{int, int} number of scripts that ended early, and how many of them printed a reason */
    private function convertAll(): array
    {
        $failed = $said = 0;
        foreach ([
            'unserialize("i:1;", larder_fetch("value")["classes"]);',
            'socket_set_option(socket_create(AF_INET, SOCK_STREAM, SOL_TCP), SOL_SOCKET, SO_LINGER, larder_fetch("value")["linger"]);',
            '(new SQLite3(":memory:"))->setAuthorizer(larder_fetch("value")["authorizer"]);',
        ] as $code) {
            preg_match('/socket|SQLite3/', $code, $extension);
            if (isset($extension[0]) && !\extension_loaded(['socket' => 'sockets', 'SQLite3' => 'sqlite3'][$extension[0]])) {
                continue;
            }
            $classes = \PHP_VERSION_ID < 80_400 ? [1, 2.5] : ['A', 'b']; // numbers are refused since 8.4
            $value = ['classes' => ['allowed_classes' => $classes], 'linger' => ['l_onoff' => '1', 'l_linger' => 1.5], 'authorizer' => ['SQLite3', 'version']];
            [$signal, $errors] = $this->ends(\sprintf('larder_store("value", %s); %s if (larder_fetch("value") !== %1$s) { echo "changed"; exit(1); }', var_export($value, true), $code));
            $failed += $signal !== 0 || $errors !== '' ? 1 : 0;
            $said += str_contains($errors, 'tried to write to a cached value') ? 1 : 0;
        }

        return [$failed, $said];
    }
}
