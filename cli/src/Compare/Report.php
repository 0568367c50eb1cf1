<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Helper\TableCell;
use Symfony\Component\Console\Helper\TableCellStyle;
use Symfony\Component\Console\Output\OutputInterface;

/** The result for people: at most 80 columns wide. */
final class Report
{
    public const WIDTH = 80;

    public function __construct(private readonly OutputInterface $output, private readonly SameRow $published) {}

    public function print(Plan $plan, Result $result, Environment $environment): void
    {
        $this->lines($environment->lines());
        foreach ($plan->values as $value) {
            $this->output->writeln('');
            $this->table($value, $plan->operations, $result);
        }
        if ($result->rows !== []) {
            $this->legend($plan);
        }
        $this->section('Failed', self::failures($result->rows));
        $this->section('Not measured', self::missing($result->notMeasured));
        $this->section('Verdict', (new Verdict($plan, $result))->lines());
    }

    /** @param non-empty-list<Operation> $operations */
    private function table(Value $value, array $operations, Result $result): void
    {
        $byStore = [];
        foreach ($operations as $operation) {
            foreach ([...$result->ranking($value, $operation), ...$result->rows] as $row) {
                if ($row->value->name === $value->name && $row->operation === $operation) {
                    $byStore[$row->target->name()][$operation->value] ??= $row;
                }
            }
        }
        $published = [];
        foreach ($byStore as $rows) {
            foreach ($rows as $operation => $row) {
                $published[$operation] = ($published[$operation] ?? false) || $this->published->of($row) !== null;
            }
        }
        $right = new TableCellStyle(['align' => 'right']);
        $cell = static fn(string $text): TableCell => new TableCell($text, ['style' => $right]);
        $title = $head = ['', ''];
        foreach ($operations as $operation) {
            $hasPublished = $published[$operation->value] ?? false;
            $title[] = new TableCell($operation->value, ['colspan' => $hasPublished ? 4 : 3, 'style' => $right]);
            array_push($head, $cell('median'), $cell('±'), $cell('ratio'), ...($hasPublished ? [$cell(SameRow::study($value))] : []));
        }
        $this->output->writeln($value->isArray ? \sprintf('%s (%s bytes serialized)', $value->name, number_format($value->bytes)) : $value->name);
        $table = new Table($this->output);
        $table->setStyle('compact')->setHeaders([$title, $head]);
        foreach ($byStore as $rows) {
            $target = reset($rows)->target;
            $line = [$target->store, str_replace(', no opcache', ' *', (string) $target->connection)];
            foreach ($operations as $operation) {
                $row = $rows[$operation->value] ?? null;
                array_push($line, ...array_map($cell, $this->cells($row, $result->fastest($value, $operation))));
                if ($published[$operation->value] ?? false) {
                    $line[] = $cell(self::duration($row === null ? null : $this->published->of($row)));
                }
            }
            $table->addRow($line);
        }
        $table->render();
    }

    /** @return array{string, string, string} */
    private function cells(?Row $row, ?Row $fastest): array
    {
        if ($row === null) {
            return ['', '', ''];
        }
        if ($row->median === null || $row->low === null || $row->high === null) {
            return ['FAILS', '', ''];
        }
        $ratio = $fastest?->median === null || $fastest->median <= 0.0 ? '' : Figure::ratio($row->median / $fastest->median);

        return [self::duration($row->median), Figure::spread($row->low, $row->median, $row->high), $ratio];
    }

    private static function duration(?float $nanoseconds): string
    {
        return $nanoseconds === null ? '' : Figure::duration($nanoseconds);
    }

    private function legend(Plan $plan): void
    {
        $this->output->writeln('');
        $this->lines([
            \sprintf('Time of one operation: the median of %d round%s; ± is half the range of the rounds.', $plan->rounds, $plan->rounds === 1 ? '' : 's')
            . ' The ratio is to the fastest store that other processes share (array is private). '
            . 'Columns named for a year: published figures of that study, on its machine. *: without opcache.',
        ]);
    }

    /**
     * @param list<Row> $rows
     * @return list<string> one for each store, operation and problem
     */
    private static function failures(array $rows): array
    {
        $values = $times = [];
        foreach ($rows as $row) {
            if ($row->median === null) {
                $what = \sprintf('%s, %s: %s', $row->target->name(), $row->operation->value, $row->problem);
                $values[$what][] = $row->value->name;
                $times[$what] = ($times[$what] ?? 0) + $row->failures;
            }
        }

        return array_map(
            static fn(string $what, array $names, int $failures): string => \sprintf('%s (%d times; %s)', $what, $failures, implode(', ', $names)),
            array_keys($values),
            $values,
            $times,
        );
    }

    /**
     * @param list<NotMeasured> $stores
     * @return list<string> one for each reason
     */
    private static function missing(array $stores): array
    {
        $byReason = [];
        foreach ($stores as $store) {
            $byReason[$store->reason][] = $store->store . ($store->connection === null ? '' : ' ' . $store->connection);
        }

        return array_map(
            static fn(string $reason, array $names): string => implode(', ', array_unique($names)) . ': ' . $reason,
            array_keys($byReason),
            $byReason,
        );
    }

    /** @param array<string> $lines */
    private function section(string $title, array $lines): void
    {
        if ($lines !== []) {
            $this->output->writeln(['', $title]);
            $this->lines($lines, '  ');
        }
    }

    /** @param array<string> $lines */
    private function lines(array $lines, string $indent = ''): void
    {
        foreach ($lines as $line) {
            $wrapped = wordwrap($line, self::WIDTH - 2 * \strlen($indent), "\n" . $indent . $indent);
            $this->output->writeln($indent . $wrapped, OutputInterface::OUTPUT_RAW);
        }
    }
}
