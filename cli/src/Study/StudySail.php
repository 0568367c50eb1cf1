<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;

/**
 * 10,000 gets of eleven bytes, on an open connection and with one opened and closed for each. Its pages:
 * Larder\Cli\Http.
 */
final class StudySail extends Study
{
    public const OPEN = 'sail: gets on an open connection';
    public const CONNECT = 'sail: connect, get, close each time';

    private const VALUE = '11 b';

    /** Gets of each of ten processes: 10,000 together. */
    private const GETS = 1_000;

    private const STORES = [
        ['larder', null],
        ['apcu', null],
        ['file', 'tmpfs'],
        ['file', 'disk'],
        ['memcached', 'tcp'],
        ['memcached', 'socket'],
        ['redis', 'tcp'],
        ['redis', 'socket'],
    ];

    public static function tables(): array
    {
        return [self::OPEN, self::CONNECT];
    }

    protected function add(Blocks $blocks): void
    {
        foreach (self::STORES as [$store, $connection]) {
            $figures = [];
            foreach ([[self::OPEN, Operation::Get], [self::CONNECT, Operation::ConnectGetClose]] as [
                $table,
                $operation,
            ]) {
                $figures[] = [
                    new Subject(
                        $table,
                        $store,
                        $connection,
                        self::VALUE,
                        Values::all()[self::VALUE]->bytes,
                        $operation->value,
                    ),
                    new Cell($operation, self::VALUE, self::GETS),
                ];
            }
            $blocks->add($figures, fn(): Target => $this->targets->find($store, $connection), \PHP_INT_MAX);
        }
    }
}
