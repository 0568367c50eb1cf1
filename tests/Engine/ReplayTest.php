<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/**
 * The same requests on Larder, APCu and Yac with the same memory: which one keeps values that are requested again?
 *
 * The traces, and the results of other eviction policies for them, come from extension/core-tests/replay. Each cache
 * runs each trace in a fresh process.
 */
#[Group('proof')]
final class ReplayTest extends TestCase
{
    /** In MiB, for the whole cache; the traces are built for this size. */
    private const MEMORY = 16;

    /** MiB of Yac's memory for keys, which must be configured. The better result counts. */
    private const YAC_KEYS = [2, 4];

    /** Traces of the short version: each shape, and each size of values. */
    private const SHORT = [
        'Zipf 0.9, 10 times, small values', 'Zipf 0.9, 10 times, some large', 'Zipf 0.9, 10 times, scans', 'loop of 1.1 times',
        'Zipf 0.9, 10 times, day and night', 'Zipf 1.1, 10 times, 5 % written',
    ];

    /** Percentage points by which two runs of the same trace differ, because of the hash seed. */
    private const NOISE = 0.3;

    /** A page that reads through a cache: get, and set after a miss. Some keys are set although they exist. */
    private const SCRIPT = <<<'PHP'
        <?php
        [, $cache, $path] = $argv;
        $yac = $cache === 'yac' ? new Yac() : null;
        $get = ['larder' => fn($key) => larder_fetch($key, false), 'apcu' => fn($key) => apcu_fetch($key), 'yac' => fn($key) => $yac->get($key)][$cache];
        $set = ['larder' => fn($key, $value) => larder_store($key, $value), 'apcu' => fn($key, $value) => apcu_store($key, $value), 'yac' => fn($key, $value) => @$yac->set($key, $value)][$cache];
        $file = fopen($path, 'r');
        $trace = json_decode(fgets($file), true);
        $words = fn($count) => array_values(unpack('V*', stream_get_contents($file, 4 * $count)));
        $lengths = $words($trace['keys']);
        $requests = stream_get_contents($file, 4 * $trace['requests']);
        $filling = str_repeat('x', max($lengths));
        $hits = $foreign = 0;
        for ($i = 0; $i < $trace['requests']; ++$i) {
            $request = unpack('V', $requests, 4 * $i)[1];
            $number = $request & 0x7fffffff;
            $key = sprintf('key-%08x', $number);
            $value = $get($key);
            if ($value !== false) {
                $hits += (int) ($i >= $trace['warm_up']);
                $foreign += (int) (strlen($value) !== $lengths[$number] || !str_starts_with($value, $key));
            }
            if ($value === false || $request !== $number) {
                $set($key, $key . substr($filling, strlen($key), $lengths[$number] - strlen($key)));
            }
        }
        echo serialize([100 * $hits / ($trace['requests'] - $trace['warm_up']), $foreign]);
        PHP;

    private TemporaryDirectory $directory;
    private TemporaryDirectory $shared;
    private string $script;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
        $this->shared = new TemporaryDirectory('/dev/shm');
        $this->script = $this->directory->write('replay.php', self::SCRIPT);
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
        $this->shared->remove();
    }

    public function testHitRateIsAtLeastThatOfOtherCaches(): void
    {
        $caches = $this->caches();
        $rows = [];
        $traces = $this->traces();
        foreach ($traces as $name => [$file, $simulated]) {
            $foreign = 0;
            $rows[$name] = array_map(function (array $commands) use ($file, &$foreign): float {
                $runs = array_map(fn(array $command): array => $this->replay([...$command, $file]), $commands);
                $foreign += array_sum(array_column($runs, 1));

                return max(array_column($runs, 0));
            }, $caches) + $simulated;
            self::assertSame(0, $foreign, "$name: values of other keys");
        }
        $this->tell($rows, $this->replay([...$this->larder(['larder.enabled' => '0']), reset($traces)[0]])[0]);
    }

    /** @param non-empty-array<string, array<string, float>> $rows hits in percent, by trace and by cache or policy */
    private function tell(array $rows, float $switchedOff): void
    {
        Proof::record('fullness.policy-lru', \count($rows), 'traces on which the engine hits as often as LRU', self::below($rows, 'engine', 'LRU', self::NOISE), self::figures($rows, 'engine', 'LRU', 'FIFO', 'SIEVE', 'S3-FIFO'));
        Proof::control('fullness.policy-lru', 'FIFO instead of the policy', \count($rows), self::below($rows, 'FIFO', 'LRU', self::NOISE));
        foreach (['APCu', 'Yac'] as $other) {
            Proof::record('fullness.policy-' . strtolower($other), \count($rows), "traces on which Larder hits as often as $other", self::below($rows, 'Larder', $other), self::figures($rows, 'Larder', $other));
        }
        Proof::control('fullness.policy-apcu', 'Larder that is switched off, on one trace', 1, (int) ($switchedOff < reset($rows)['APCu']));
        Proof::control('fullness.policy-yac', 'APCu, which drops everything when it is full, in the place of Larder', \count($rows), self::below($rows, 'APCu', 'Yac'));
    }

    /**
     * @param array<string, array<string, float>> $rows
     * @return int number of rows
     */
    private static function below(array $rows, string $one, string $other, float $by = 0): int
    {
        return \count(array_filter($rows, static fn(array $hits): bool => $hits[$one] < $hits[$other] - $by));
    }

    /**
     * @param array<string, array<string, float>> $rows
     * @return array<string, string> as text, by trace
     */
    private static function figures(array $rows, string ...$names): array
    {
        return array_map(static fn(array $hits): string => implode(', ', array_map(
            static fn(string $name): string => \sprintf('%s %.1f %%', $name, $hits[$name]),
            $names,
        )), $rows);
    }

    /** @return array<string, non-empty-list<list<string>>> by names of caches: commands that replay a trace */
    private function caches(): array
    {
        $yac = \sprintf('%s/var/yac/%s/yac.so', Repository::ROOT, Php::version());
        if (!\extension_loaded('apcu') || !is_file($yac)) {
            self::markTestSkipped('APCu or Yac is not there: dev/setup stores');
        }
        $apcu = new Php(['apc.enable_cli' => '1', 'apc.shm_size' => self::MEMORY . 'M']);

        return [
            'Larder' => [$this->larder()],
            'APCu' => [$apcu->command([$this->script, 'apcu'])],
            'Yac' => array_map(fn(int $keys): array => [
                'env', 'PHP_INI_SCAN_DIR=', ...(new Php(
                    ['yac.enable_cli' => '1', 'yac.keys_memory_size' => $keys . 'M', 'yac.values_memory_size' => (self::MEMORY - $keys) . 'M'],
                    [$yac],
                ))->command([$this->script, 'yac']),
            ], self::YAC_KEYS),
        ];
    }

    /**
     * @param array<string, string> $ini
     * @return list<string>
     */
    private function larder(array $ini = []): array
    {
        $engine = Repository::ROOT . '/extension/modules/larder.so';
        $php = new Php(
            ['larder.path' => $this->shared->path, 'larder.size' => self::MEMORY . 'M', ...$ini],
            \extension_loaded('larder') && !is_file($engine) ? [] : [$engine],
        );

        return $php->command([$this->script, 'larder']);
    }

    /**
     * @param list<string> $command
     * @return array{float, int} hits in percent, and the number of values of a wrong key
     */
    private function replay(array $command): array
    {
        foreach ((array) glob($this->shared->path . '/larder-*/*') as $segment) {
            unlink((string) $segment);
        }
        $process = new Process($command, timeout: 600);
        try {
            $said = $process->mustRun()->getOutput();
        } catch (ProcessSignaledException $ended) {
            self::fail("{$ended->getMessage()} {$process->getCommandLine()}: {$process->getErrorOutput()}{$process->getOutput()}");
        }
        $result = unserialize($said, ['allowed_classes' => false]);
        if (!\is_array($result) || !\is_float($result[0] ?? null) && !\is_int($result[0] ?? null) || !\is_int($result[1] ?? null)) {
            self::fail("not a result: $said");
        }

        return [(float) $result[0], $result[1]];
    }

    /**
     * @return non-empty-array<string, array{string, array<string, float>}> by name: the file, and hits of policies in
     *         percent
     */
    private function traces(): array
    {
        $build = Repository::ROOT . '/var/replay'; // separate from builds of other tests at the same time
        $program = $build . '/test-replay';
        (new Process(['make', '-s', '-C', Repository::ROOT . '/extension/core-tests/replay', "BUILD=$build", $program], timeout: 300))->mustRun();
        $wanted = Proof::isLong() ? [] : self::SHORT;
        (new Process([$program, '--write', $this->directory->path, ...$wanted], timeout: 300))->mustRun();
        $traces = [];
        foreach ((array) glob($this->directory->path . '/*.trace') as $path) {
            $file = new \SplFileObject((string) $path);
            $head = json_decode($file->fgets(), true, flags: \JSON_THROW_ON_ERROR);
            if (!\is_array($head) || !\is_string($head['name'] ?? null) || !\is_array($head['hits'] ?? null)) {
                self::fail("not a trace: $path");
            }
            $hits = [];
            foreach ($head['hits'] as $policy => $percent) {
                $hits[(string) $policy] = is_numeric($percent) ? (float) $percent : self::fail("not a trace: $path");
            }
            if (Proof::isLong() || \in_array($head['name'], self::SHORT, true)) {
                $traces[$head['name']] = [(string) $path, $hits];
            }
        }
        self::assertNotEmpty($traces);

        return $traces;
    }
}
