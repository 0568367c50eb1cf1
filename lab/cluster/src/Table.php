<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** The outcomes as rows of docs/figures/failover.tsv. */
final class Table
{
    private const HEAD = [
        'what happens', 'client', 'servers took', 'served again after', 'misses and false', 'all in', 'exceptions', 'longest call', 'lost writes', 'wrong values', 'overdue leases',
    ];

    /** @var list<list<string>> */
    private array $rows = [];

    /** @return string the row */
    public function add(Scenario $scenario, string $who, Outcomes $outcomes): string
    {
        $row = [
            $scenario->value,
            $who,
            \sprintf('%.2f s', $outcomes->serversTook),
            is_infinite($outcomes->recovery) ? 'never' : \sprintf('%.3f s', $outcomes->recovery),
            \sprintf('%s of %s%s', number_format($outcomes->notServed), number_format($outcomes->operations), $outcomes->late === 0 ? '' : \sprintf(', %d late', $outcomes->late)),
            \sprintf('%.1f s', $outcomes->seconds),
            $outcomes->threw . ($outcomes->crashed === 0 ? '' : \sprintf(', %d of %d processes crashed', $outcomes->crashed, Outcomes::PROCESSES)),
            \sprintf('%.2f s', $outcomes->longest),
            (string) $outcomes->lost,
            (string) $outcomes->wrong,
            (string) $outcomes->overdueLeases,
        ];
        $this->rows[] = $row;

        return implode(' | ', $row);
    }

    public function write(string $file): void
    {
        file_put_contents($file, implode('', array_map(static fn(array $row): string => implode("\t", $row) . "\n", [self::HEAD, ...$this->rows])));
    }
}
