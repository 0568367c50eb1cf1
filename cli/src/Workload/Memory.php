<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;
use Larder\Drivers;
use Larder\Internal\Driver\Connection;

/** Costs of stores other than time: memory of entries and readers, system calls, processor time, bytes on the wire. */
final class Memory implements Suite
{
    public const ENTRY = 'memory: bytes for each entry';
    public const BYTE = 'memory: bytes for each byte stored';
    public const READER = 'memory: peak of the reader';
    public const CALLS = 'memory: system calls of the client';
    public const PROCESSOR = 'memory: processor time of an operation';
    public const WIRE = 'memory: bytes on the wire';

    private const UNITS = [
        self::ENTRY => Unit::Bytes, self::BYTE => Unit::Count, self::READER => Unit::Bytes,
        self::CALLS => Unit::Count, self::PROCESSOR => Unit::Nanoseconds, self::WIRE => Unit::Bytes,
    ];

    /** More than memcached's default, so that many rounds evict nothing. */
    private const SERVER = ['Memcached' => ['-m', '1024']];

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = Stores::SHARED,
        private readonly int $milliseconds = 50,
    ) {}

    /** @param key-of<self::UNITS> $table */
    public static function subject(
        string $table,
        string $store,
        ?string $connection,
        ?string $value,
        ?int $bytes,
        string $operation,
    ): Subject {
        return new Subject($table, $store, $connection, $value, $bytes, $operation, self::UNITS[$table]);
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        $subject = static fn(string $store, ?string $connection): Subject
            => self::subject(self::ENTRY, $store, $connection, '1k', Value::all()['1k']->bytes, 'entry');
        foreach (Stores::targets($this->locations, $this->stores, $subject, $notMeasured) as $target) {
            $socket = null;
            $own = Stores::elsewhere($target, 'memory', $this->locations);
            if (Catalog::needsServer($target->store)) {
                $launcher = Drivers::variants()[$target->store]->server;
                $socket = $this->locations->server($launcher, self::SERVER[$launcher] ?? [])->location(
                    Connection::Socket,
                );
                $own = \sprintf('%s://%s?timeout=20&on_failure=throw', Drivers::schemeOf($target->store), $socket);
            }
            $tellsUsage = $target->store !== 'yac';
            if (!$tellsUsage) {
                $notMeasured(
                    $subject($target->store, $target->connection),
                    'Yac does not tell how much of its memory is in use',
                );
            }
            $php = \in_array($target->store, ['larder', 'apcu'], true)
                ? $target->php->with(['larder.segment' => 'memory'])
                : $target->php;
            $blocks[] = new TaskBlock(
                new MemoryTask($target->store, $target->connection, $own, $socket, $tellsUsage, $this->milliseconds),
                $php,
            );
            $blocks[] = new SystemCalls(
                new SystemCallsTask($target->store, $target->connection, $target->address),
                $target->php,
                $this->locations->disk('strace'),
            );
        }

        return $blocks;
    }
}
