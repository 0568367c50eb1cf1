<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Kind;

/**
 * Four serialized arrays, written and read in a loop, and only read in a loop. For its web requests, see
 * Larder\Cli\Http.
 */
final class Study2008 extends Study
{
    public const SET_THEN_GET = '2008: set then get, loop';
    public const READ = '2008: read in a loop, mean of one read';

    private const ONE_HANDLE = 'file (one handle)';

    private const STORES = [
        ['larder', null],
        ['apcu', null],
        ['shmop', null],
        ['file', 'tmpfs'],
        ['file', 'disk'],
        [self::ONE_HANDLE, 'disk'],
        ['memcache', 'tcp'],
        ['memcached', 'tcp'],
        ['memcached', 'socket'],
        ['redis', 'tcp'],
        ['redis', 'socket'],
    ];

    /** Time limit of one figure in each process. */
    private const NANOSECONDS = 500_000_000;

    public static function tables(): array
    {
        return [self::SET_THEN_GET, self::READ];
    }

    protected function whenCutShort(): string
    {
        return \sprintf('%g s of the study\'s repeats in each process', self::NANOSECONDS / 1e9);
    }

    protected function add(Blocks $blocks): void
    {
        foreach (self::STORES as [$store, $connection]) {
            foreach ([[self::SET_THEN_GET, Operation::SetThenGet], [self::READ, Operation::Get]] as [
                $table,
                $operation,
            ]) {
                $figures = [];
                foreach (Values::OF_2008 as $value => [$bytes, $repeats]) {
                    $figures[] = [
                        new Subject($table, $store, $connection, $value, $bytes, $operation->value),
                        new Cell($operation, $value, $repeats),
                    ];
                }
                $target = fn(): Target => $store === self::ONE_HANDLE
                    ? new Target($store, $connection, OneHandleStore::class, Kind::Process)
                    : $this->targets->find($store, $connection);
                $blocks->add($figures, $target, self::NANOSECONDS, isOrdered: true);
            }
        }
    }
}
