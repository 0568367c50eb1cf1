<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Contract\Store;
use Larder\Drivers;
use Larder\Internal\Driver\Apcu\Apcu;
use Symfony\Component\Process\Process;

/** See Memory. */
final class MemoryTask implements Task
{
    /** Number of entries by value. Their memory is divided by it. */
    private const ENTRIES = ['0.1k' => 8_000, '1k' => 4_000];

    /** Entries that are stored beforehand, so that one-time costs of a store, such as its index, do not count. */
    private const FIRST = 4_000;

    /** Values whose reader's memory is measured. */
    private const READ = ['128k', '50 x 50 array'];

    /** Value of all other measurements. */
    private const VALUE = '1k';
    private const KEYS = 100;
    private const WIRE_OPERATIONS = 1_000;

    /**
     * @param string $address see Stores::open()
     * @param string|null $socket socket of its server; null if it has none
     * @param bool $tellsUsage true if the store reports how much memory is in use
     */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly ?string $socket,
        private readonly bool $tellsUsage,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim('memory, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        $subjects = $this->tellsUsage
            ? array_merge(...array_map($this->usageSubjects(...), array_keys(self::ENTRIES)))
            : [];
        foreach (self::READ as $value) {
            $subjects[] = $this->subject(Memory::READER, $value, 'get');
        }
        foreach (['get', 'set'] as $operation) {
            array_push($subjects, ...array_values($this->costSubjects($operation)));
        }

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        $address = $this->fresh();
        $store = Stores::open($address);
        if ($this->tellsUsage) {
            for ($i = 0; $i < self::FIRST; ++$i) {
                $store->set(\sprintf('memory-first-%d', $i), $i);
            }
            foreach (self::ENTRIES as $value => $entries) {
                foreach ($this->usage($store, $address, $value, $entries) as $sample) {
                    $tell($sample);
                }
            }
        }
        foreach (self::READ as $value) {
            $tell($this->reader($store, $value));
        }
        foreach (['get', 'set'] as $operation) {
            foreach ($this->costs($store, $operation) as $sample) {
                $tell($sample);
            }
        }
        $store->clear();
        if ($this->store === 'larder') {
            // The segment keeps its memory for later entries, so the next round needs a new segment.
            $path = larder_info(false)['path'] ?? null;
            \is_string($path) && unlink($path);
        }
    }

    /** Emptied files may keep their size, so each round has a new directory. */
    private function fresh(): string
    {
        if ($this->socket !== null || preg_match('~^[a-z-]+:///~', $this->address) !== 1) {
            return $this->address;
        }
        $path = Drivers::parse($this->address)->path();
        $directory = str_ends_with($path, '.sqlite') ? \dirname($path) : $path;
        $fresh = \sprintf('%s/%s', $directory, bin2hex(random_bytes(4)));
        mkdir($fresh, 0o700);

        return strtr($this->address, [$directory => $fresh]);
    }

    /** @return list<Sample> */
    private function usage(Store $store, #[\SensitiveParameter] string $address, string $name, int $entries): array
    {
        $value = Value::all()[$name];
        $before = $this->bytesInUse($address);
        $stored = 0;
        for ($i = 0; $i < $entries; ++$i) {
            $key = \sprintf('memory-%s-%06d', $name, $i);
            if (!$store->set($key, $value->make($i))) {
                return array_map(
                    static fn(Subject $subject): Sample => Sample::failed($subject, 'refuses values'),
                    $this->usageSubjects($name),
                );
            }
            $stored += \strlen($key) + $value->bytes;
        }
        $used = $this->bytesInUse($address) - $before;
        $missing = 0;
        for ($i = 0; $i < $entries; $i += 100) {
            $missing += $store->has(\sprintf('memory-%s-%06d', $name, $i)) ? 0 : 1;
        }
        [$each, $byte] = $this->usageSubjects($name);

        return $missing > 0
            ? [Sample::failed($each, 'loses values', $missing), Sample::failed($byte, 'loses values', $missing)]
            : [new Sample($each, $used / $entries), new Sample($byte, $used / $stored)];
    }

    private function bytesInUse(#[\SensitiveParameter] string $address): int
    {
        if ($this->socket !== null) {
            return ServerStatistics::of($this->store, $this->socket)->memory();
        }
        if ($this->store === 'larder' || $this->store === 'apcu' && Apcu::isLarders()) {
            $memory = larder_info()['memory'] ?? null;

            return \is_array($memory) && \is_int($memory['committed'] ?? null)
                ? $memory['committed']
                : throw new \RuntimeException('larder_info() tells no memory');
        }
        if ($this->store === 'apcu') {
            $memory = apcu_sma_info(true);
            [$segments, $size, $available] = \is_array($memory)
                ? [$memory['num_seg'] ?? 0, $memory['seg_size'] ?? 0, $memory['avail_mem'] ?? 0]
                : [0, 0, 0];

            return \is_int($segments) && is_numeric($size) && is_numeric($available)
                ? (int) ($segments * $size - $available)
                : throw new \RuntimeException('apcu_sma_info() tells no memory');
        }
        // Disk blocks of files and directories.
        $du = (new Process(
            ['du', '-s', '-B1', is_dir($path = Drivers::parse($address)->path()) ? $path : \dirname($path)],
        ))->mustRun();

        return (int) $du->getOutput();
    }

    /** Memory of the process while it reads one value, and then while it holds the value. */
    private function reader(Store $store, string $name): Sample
    {
        $subject = $this->subject(Memory::READER, $name, 'get');
        $value = Value::all()[$name]->make(1);
        if (!$store->set('memory-reader', $value)) {
            return Sample::failed($subject, 'refuses values');
        }
        $store->get('memory-reader'); // loads the code
        gc_collect_cycles();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $read = $store->get('memory-reader');
        $peak = memory_get_peak_usage() - $before;

        return $read === $value
            ? new Sample($subject, (float) max(0, $peak))
            : Sample::failed($subject, $read === null ? 'loses values' : 'changes values');
    }

    /** @return list<Sample> */
    private function costs(Store $store, string $operation): array
    {
        $subjects = $this->costSubjects($operation);
        $keys = $values = [];
        for ($i = 0; $i < self::KEYS; ++$i) {
            $keys[] = \sprintf('memory-cost-%d', $i);
            $values[] = Value::all()[self::VALUE]->make($i);
            if (!$store->set($keys[$i], $values[$i])) {
                return array_values(array_map(
                    static fn(Subject $subject): Sample => Sample::failed($subject, 'refuses values'),
                    $subjects,
                ));
            }
        }
        $statistics = $this->socket === null ? null : ServerStatistics::of($this->store, $this->socket);
        $server = $statistics?->pid() ?? 0;
        $isGet = $operation === 'get';
        $failures = self::operate($isGet, $store, $keys, $values, self::KEYS);
        $operations = 0;
        $serverStart = ServerStatistics::processorTime($server);
        $start = self::processorTime();
        for ($until = \hrtime(
            true,
        ) + 1_000_000 * $this->milliseconds; \hrtime(true) < $until; $operations += self::KEYS) {
            $failures += self::operate($isGet, $store, $keys, $values, self::KEYS);
        }
        $client = self::processorTime() - $start;
        $serverTime = ServerStatistics::processorTime($server) - $serverStart;
        $start = self::processorTime();
        self::operate($isGet, null, $keys, $values, $operations);
        $figures = [
            'client' => ($client - (self::processorTime() - $start)) / $operations,
            'server' => $serverTime / $operations,
        ];
        if ($statistics !== null) {
            $wire = $statistics->wire();
            $failures += self::operate($isGet, $store, $keys, $values, self::WIRE_OPERATIONS);
            $figures['wire'] = ($statistics->wire() - $wire - $statistics->ownWire()) / self::WIRE_OPERATIONS;
        }
        $samples = [];
        foreach ($subjects as $what => $subject) {
            $samples[] = $failures > 0
                ? Sample::failed($subject, 'loses or refuses values', $failures)
                : new Sample($subject, max(0.0, $figures[$what] ?? 0.0));
        }

        return $samples;
    }

    /**
     * @param Store|null $store null: the loop alone
     * @param list<string> $keys
     * @param list<mixed> $values
     * @return int how many failed
     */
    private static function operate(bool $isGet, ?Store $store, array $keys, array $values, int $times): int
    {
        $failures = 0;
        for ($i = 0; $i < $times; ++$i) {
            $n = $i % self::KEYS;
            if ($store === null) {
                $result = $isGet ? $values[$n] : true;
            } else {
                $result = $isGet ? $store->get($keys[$n]) : $store->set($keys[$n], $values[$n]);
            }
            if ($result === null || $result === false) {
                ++$failures;
            }
        }

        return $failures;
    }

    /** Processor time of this process in nanoseconds. */
    private static function processorTime(): int
    {
        /** @var array<string, int> $usage */
        $usage = (array) getrusage();
        $seconds = ($usage['ru_utime.tv_sec'] ?? 0) + ($usage['ru_stime.tv_sec'] ?? 0);

        return 1_000_000_000 * $seconds
            + 1_000 * (($usage['ru_utime.tv_usec'] ?? 0) + ($usage['ru_stime.tv_usec'] ?? 0));
    }

    /** @return array{Subject, Subject} */
    private function usageSubjects(string $value): array
    {
        return [$this->subject(Memory::ENTRY, $value, 'entry'), $this->subject(Memory::BYTE, $value, 'byte')];
    }

    /** @return non-empty-array<string, Subject> by name of the measurement */
    private function costSubjects(string $operation): array
    {
        $subjects = ['client' => $this->subject(Memory::PROCESSOR, self::VALUE, $operation . ', client')];
        if ($this->socket !== null) {
            $subjects['server'] = $this->subject(Memory::PROCESSOR, self::VALUE, $operation . ', server');
            $subjects['wire'] = $this->subject(Memory::WIRE, self::VALUE, $operation);
        }

        return $subjects;
    }

    /**
     * @param Memory::ENTRY|Memory::BYTE|Memory::READER|Memory::PROCESSOR|Memory::WIRE $table
     */
    private function subject(string $table, string $value, string $operation): Subject
    {
        return Memory::subject(
            $table,
            $this->store,
            $this->connection,
            $value,
            Value::all()[$value]->bytes,
            $operation,
        );
    }
}
