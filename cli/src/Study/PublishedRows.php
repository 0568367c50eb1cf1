<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Row;

/**
 * Which figures of the studies belong to which row of ours. A row has one of them; further ones, of the study's other
 * machines, stand in a note.
 *
 * @phpstan-import-type PublishedRow from Published
 */
final class PublishedRows
{
    /** Engines that no longer exist for today's PHP: name, and the store that took their place here. */
    private const HISTORIC = [
        'eaccelerator' => ['eAccelerator', 'larder'],
        'xcache' => ['XCache', 'larder'],
        'apc' => ['APC', 'apcu'],
    ];

    /** Our store beside an engine of another name. */
    private const STORES = ['apc' => 'apcu', 'file (write, then file_get_contents)' => 'file'];

    /** Begins the note of further figures. */
    public const OTHERS = 'published too for ';

    /** Machines of the study of 2016 and what people call them, the one that stands beside our rows first. */
    private const MACHINES = [
        'desktop' => 'desktop',
        'desktop10concurrent' => 'desktop, ten processes at once',
        'desktopVM' => 'virtual machine on a desktop',
        'laptopVM' => 'virtual machine on a laptop',
    ];

    private const NANOSECONDS = ['s' => 1e9, 'ms' => 1e6, 'us' => 1e3];

    /** @var array<string, list<PublishedRow>> by table */
    private array $tables = [];

    public function __construct(Published $published)
    {
        foreach ($published->rows() as $figure) {
            $this->tables[self::table($figure)][] = $figure;
        }
    }

    /** The figure that stands beside a row. */
    public function first(Subject $subject): ?PublishedFigure
    {
        $figure = $this->of($subject)[0] ?? null;

        return $figure === null ? null : self::figure($figure);
    }

    /** @return list<string> the other figures for the row, and what is known of the first */
    public function notes(Subject $subject): array
    {
        $notes = $others = [];
        foreach ($this->of($subject) as $i => $figure) {
            $name = self::HISTORIC[$figure['engine']][0] ?? null;
            if ($name !== null && $i === 0) {
                $notes[] = \sprintf('published for %s', $name);
            }
            if (self::isDelayed($figure)) {
                $notes[] = 'the 40 ms published are a delayed acknowledgement of TCP';
            }
            if ($i > 0) {
                $others[] = \sprintf(
                    '%s %s (%s)',
                    $figure['figure'],
                    $figure['unit'],
                    $figure['remark'] ?? self::machine($figure),
                );
            }
        }
        if ($others !== []) {
            $notes[] = \sprintf('%s%s: %s', self::OTHERS, $subject->value, implode(', ', $others));
        }

        return $notes;
    }

    /**
     * @param list<string> $tables
     * @return list<Row> a row for each published figure of an engine that no longer exists
     */
    public function historic(array $tables): array
    {
        $rows = [];
        foreach ($tables as $table) {
            foreach ($this->tables[$table] ?? [] as $figure) {
                [$name, $successor] = self::HISTORIC[$figure['engine']] ?? [null, null];
                if ($name === null) {
                    continue;
                }
                $settings = array_filter([
                    'serializer' => $figure['serializer'],
                    'machine' => $figure['study'] === '2016' ? self::machine($figure) : null,
                    'remark' => $figure['remark'] ?? null,
                ], is_string(...));
                $rows[] = new Row(
                    new Subject(
                        $table,
                        $figure['engine'],
                        $figure['connection'],
                        $figure['value'],
                        $figure['bytes'],
                        $figure['operation'],
                        self::unit($figure),
                        $settings,
                    ),
                    [],
                    null,
                    null,
                    null,
                    published: self::figure($figure),
                    notes: [\sprintf('historic: PHP 8 has no %s; %s took its place here', $name, $successor)],
                );
            }
        }

        return $rows;
    }

    /** @return list<PublishedRow> */
    private function of(Subject $subject): array
    {
        $figures = array_values(array_filter(
            $this->tables[$subject->table] ?? [],
            static fn(array $figure): bool => self::isOf($figure, $subject),
        ));
        $rank = static fn(array $figure): array
            => [isset($figure['remark']), array_search($figure['environment'], array_keys(self::MACHINES), true)];
        usort($figures, static fn(array $a, array $b): int => $rank($a) <=> $rank($b));

        return $figures;
    }

    /** @param PublishedRow $figure */
    private static function isOf(array $figure, Subject $subject): bool
    {
        $settings = $subject->settings;
        $store = self::STORES[$figure['engine']] ?? $figure['engine'];

        return $store === $subject->store
            && $figure['value'] === $subject->value
            && $figure['operation'] === $subject->operation
            // The studies' files were on disks. One figure for Redis has no label; it is near those over TCP.
            && ($figure['connection'] ?? ($store === 'redis' ? 'tcp' : null))
                === ($subject->connection === 'disk' ? null : $subject->connection)
            && \in_array($figure['serializer'], [null, $settings['serializer'] ?? null], true)
            && ($figure['compression'] === 'on') === isset($settings['compression'])
            && ($figure['environment'] === 'desktop10concurrent') === isset($settings['processes'])
            // 20 KB in 3 ms are 100 Mbit/s
            && ($settings['rate'] ?? '100 Mbit/s') === '100 Mbit/s'
            // The studies' PHP files were in an opcode cache.
            && !isset($settings['php']);
    }

    /** @param PublishedRow $figure */
    private static function isDelayed(array $figure): bool
    {
        return $figure['engine'] === 'predis' && $figure['connection'] === 'tcp' && $figure['figure'] > 30;
    }

    /** @param PublishedRow $figure */
    private static function figure(array $figure): PublishedFigure
    {
        $factor = isset(self::NANOSECONDS[$figure['unit']])
            ? self::NANOSECONDS[$figure['unit']] / $figure['operations']
            : 1;

        return new PublishedFigure(
            $figure['figure'] * $factor,
            $figure['study'],
            $figure['engine'],
            self::machine($figure),
        );
    }

    /** @param PublishedRow $figure */
    private static function machine(array $figure): ?string
    {
        return self::MACHINES[(string) $figure['environment']] ?? $figure['environment'];
    }

    /** @param PublishedRow $figure */
    private static function unit(array $figure): Unit
    {
        return isset(self::NANOSECONDS[$figure['unit']]) ? Unit::Nanoseconds : Unit::from($figure['unit']);
    }

    /** @param PublishedRow $figure */
    private static function table(array $figure): string
    {
        return $figure['study'] . ': ' . $figure['table'];
    }
}
