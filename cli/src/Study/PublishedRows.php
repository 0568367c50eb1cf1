<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Row;

/**
 * The figures of the studies that belong to our rows. A row shows one of them; those from other machines of the study
 * are in a note.
 *
 * @phpstan-import-type PublishedRow from Published
 */
final class PublishedRows
{
    /** Engines that do not exist for current PHP versions: title, and the store that replaces them here. */
    private const HISTORIC = [
        'eaccelerator' => ['eAccelerator', 'larder'],
        'xcache' => ['XCache', 'larder'],
        'apc' => ['APC', 'apcu'],
    ];

    /** Our names of stores that have other names in the studies. */
    private const STORES = ['apc' => 'apcu', 'file (write, then file_get_contents)' => 'file'];

    /** Prefix of the note with further figures. */
    public const OTHERS = 'published too for ';

    /** Machines of the study of 2016, with their titles. The first is the one shown in our rows. */
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

    /** The figure that a row shows. */
    public function first(Subject $subject): ?PublishedFigure
    {
        $figure = $this->of($subject)[0] ?? null;

        return $figure === null ? null : self::figure($figure);
    }

    /** @return list<string> the other figures for the row, and remarks on the first */
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
            // The studies kept files on disks. One figure for Redis has no label; it is near those over TCP.
            && ($figure['connection'] ?? ($store === 'redis' ? 'tcp' : null))
                === ($subject->connection === 'disk' ? null : $subject->connection)
            && \in_array($figure['serializer'], [null, $settings['serializer'] ?? null], true)
            && ($figure['compression'] === 'on') === isset($settings['compression'])
            && ($figure['environment'] === 'desktop10concurrent') === isset($settings['processes'])
            // 20 KB in 3 ms are 100 Mbit/s
            && ($settings['rate'] ?? '100 Mbit/s') === '100 Mbit/s'
            // The studies used an opcode cache for PHP files.
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
