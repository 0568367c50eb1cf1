<?php

declare(strict_types=1);

namespace Larder\Dev\Failover;

/** The outcomes as rows of the page docs/cluster.md. */
final class Table
{
    private const BEGIN = "<!-- written by dev/prove-cluster --write -->\n";
    private const END = "<!-- end -->\n";
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

    /** Puts the rows in the place of those that the page has. */
    public function write(string $page): void
    {
        $lines = array_map(static fn(array $row): string => '| ' . implode(' | ', $row) . " |\n", [self::HEAD, array_fill(0, \count(self::HEAD), '---'), ...$this->rows]);
        $text = (string) file_get_contents($page);
        $from = strpos($text, self::BEGIN);
        $to = strpos($text, self::END);
        if ($from === false || $to === false) {
            throw new \RuntimeException("$page has no place for the table");
        }
        file_put_contents($page, substr($text, 0, $from) . self::BEGIN . implode('', $lines) . substr($text, $to));
    }
}
