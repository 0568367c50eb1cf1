<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;
use Symfony\Component\Process\Process;

/**
 * The coldest start: many processes begin while there is no segment. None is refused, and a value that all miss is
 * computed once.
 */
final class ColdStartTest extends EngineTestCase
{
    private const PROCESSES = 24;

    private const STORE = '@time_sleep_until(%F); return larder_store((string) getmypid(), str_repeat("x", 100));';

    /** Writes a byte to the file for each computation. */
    private const REMEMBER = <<<'PHP'
        class_exists('Larder\\Cache', false) || spl_autoload_register(static function (string $class): void {
            foreach (['Larder\\' => '%1$s/larder/', 'Psr\\Log\\' => '%1$s/log/'] as $prefix => $folder) {
                if (str_starts_with($class, $prefix) && is_file($file = $folder . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php')) {
                    require_once $file;
                }
            }
        });
        $cache = Larder\Cache::open('larder:');
        @time_sleep_until(%2$F);
        return $cache->remember('page', ttl: 60, make: static function (): string {
            file_put_contents('%3$s', '.', FILE_APPEND);
            usleep(50_000);
            return 'page';
        });
        PHP;

    /** @return iterable<string, array{string}> */
    public static function sizes(): iterable
    {
        foreach (['8M', '64M', '4G'] as $size) {
            yield $size => [$size];
        }
    }

    #[DataProvider('sizes')]
    public function testWorkersMayStoreAtOnce(string $size): void
    {
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: self::PROCESSES)], ['larder.size' => $size]);
        self::assertSame(array_fill(0, self::PROCESSES, true), $this->together(array_fill(0, self::PROCESSES, $fpm), \sprintf(self::STORE, microtime(true) + 0.3)));
    }

    #[DataProvider('sizes')]
    public function testWorkersMayMissOneValueAtOnce(string $size): void
    {
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: self::PROCESSES)], ['larder.size' => $size]);
        $this->assertComputedOnce(array_fill(0, self::PROCESSES, $fpm));
    }

    #[DataProvider('sizes')]
    public function testCommandLinesMayStoreAtOnce(string $size): void
    {
        $lines = $this->commandLines($size);
        self::assertSame(array_fill(0, self::PROCESSES, true), $this->together($lines, \sprintf(self::STORE, microtime(true) + 0.3)));
        self::assertCount(1, $this->sandbox->segments());
    }

    #[DataProvider('sizes')]
    public function testCommandLinesMayMissOneValueAtOnce(string $size): void
    {
        $this->assertComputedOnce($this->commandLines($size));
    }

    /** The cache of an idle pool stays warm: a process with other settings joins it. Only a command replaces it. */
    public function testProcessWithOtherSettingsJoins(): void
    {
        $idle = $this->sandbox->commandLine(ini: ['larder.size' => '64M']);
        self::assertTrue($idle->run('return larder_store("warm", "of the pool");'));
        $idle->kill();
        foreach ([['larder.size' => '16M'], ['larder.processes' => 7], ['larder.pin_share' => '0.3']] as $settings) {
            $cron = $this->sandbox->commandLine(ini: $settings + ['larder.size' => '64M']);
            $name = array_key_first($settings);
            self::assertSame('of the pool', $cron->run('return larder_fetch("warm");'), $name);
            self::assertSame([$name], array_keys((array) $cron->run('return larder_info()["settings"];')));
            self::assertStringContainsString($name, $cron->text('return larder_info()["reason"];'));
            $cron->kill();
        }
        $resized = $this->sandbox->commandLine(ini: ['larder.size' => '16M']);
        self::assertTrue($resized->run('return larder_resize();'));
        self::assertSame([null, [], 16 << 20], $resized->run('return [larder_fetch("warm"), larder_info()["settings"], larder_info()["size"]];'));
    }

    /** @return list<CommandLine> */
    private function commandLines(string $size): array
    {
        $lines = [];
        for ($i = 0; $i < self::PROCESSES; ++$i) {
            $lines[] = $this->sandbox->commandLine(ini: ['larder.size' => $size]);
        }

        return $lines;
    }

    /** @param list<Fpm|CommandLine> $processes */
    private function assertComputedOnce(array $processes): void
    {
        $log = $this->sandbox->folder() . '/computations';
        touch($log);
        chmod($log, 0o666);
        // the site's user must be able to read it, with every umask of the package installation
        $folder = $this->sandbox->folder();
        (new Process(['sh', '-c', 'cp -r library/src "$0/larder" && cp -r vendor/psr/log/src "$0/log" && chmod -R a+rX "$0/larder" "$0/log"', $folder], \dirname(__DIR__, 2)))->mustRun();
        $answers = $this->together($processes, \sprintf(self::REMEMBER, $folder, microtime(true) + 0.5, $log));
        self::assertSame(array_fill(0, \count($processes), 'page'), $answers);
        self::assertSame('.', file_get_contents($log));
    }

    /**
     * @param list<Fpm|CommandLine> $processes
     * @return list<mixed>
     */
    private function together(array $processes, string $code): array
    {
        $ends = [];
        foreach ($processes as $process) {
            if ($process instanceof Fpm) {
                $request = $process->begin($code);
                $ends[] = static fn(): mixed => $process->end($request);
            } else {
                $process->begin($code);
                $ends[] = static fn(): mixed => $process->end();
            }
        }

        return array_map(static fn(\Closure $end): mixed => $end(), $ends);
    }
}
