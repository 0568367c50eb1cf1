<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Subject;

/** Reads of thirteen values by ten processes together: 100,000 of each, or as many as are possible in five seconds. */
final class Study2013 extends Study
{
    public const TABLE = '2013: read, 13 values';

    /** Reads of each process. */
    private const READS = 10_000;
    private const NANOSECONDS = 500_000_000;

    private const STORES = [
        ['larder', null],
        ['apcu', null],
        ['yac', null],
        ['shmop', null],
        ['memcache', 'tcp'],
        ['memcache', 'socket'],
        ['memcached', 'tcp'],
        ['redis', 'socket'],
        ['mysql-memory', 'tcp'],
        ['mysql-myisam', 'tcp'],
        ['mysql', 'tcp'],
        ['file', 'tmpfs'],
        ['file', 'disk'],
        ['php-file', 'tmpfs'],
        ['php-file', 'disk'],
        ['php-file', 'tmpfs', ['php' => 'no opcache']],
        ['php-file', 'disk', ['php' => 'no opcache']],
        ['sqlite', 'tmpfs'],
    ];

    public static function tables(): array
    {
        return [self::TABLE];
    }

    public function notes(Subject $subject): array
    {
        $notes = parent::notes($subject);

        return $subject->table !== self::TABLE || \in_array($this->whenCutShort(), $notes, true)
            ? $notes
            : [...$notes, \sprintf('%s reads in each process, so 100,000 in ten', number_format(self::READS))];
    }

    protected function whenCutShort(): string
    {
        return \sprintf('%g s of reads in each process, so 5 s in ten', self::NANOSECONDS / 1e9);
    }

    protected function add(Blocks $blocks): void
    {
        foreach (self::STORES as $row) {
            [$store, $connection, $settings] = [...$row, []];
            $figures = [];
            foreach (self::values() as $value) {
                $figures[] = [
                    new Subject(
                        self::TABLE,
                        $store,
                        $connection,
                        $value->name,
                        $value->bytes,
                        Operation::Get->value,
                        settings: $settings,
                    ),
                    new Cell(Operation::Get, $value->name, self::READS),
                ];
            }
            $blocks->add(
                $figures,
                fn(): Target => $this->targets->find($store, $connection, settings: $settings),
                self::NANOSECONDS,
            );
        }
    }

    /** @return array<string, Value> the values of compare, without the array of 2016 */
    public static function values(): array
    {
        return array_diff_key(Value::all(), ['50 x 50 array' => true]);
    }
}
