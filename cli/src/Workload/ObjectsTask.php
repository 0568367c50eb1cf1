<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;

/** See Objects. */
final class ObjectsTask implements Task
{
    private const FIELDS = 23;
    private const ROWS = 50;

    /** Objects that a batch may hold. */
    private const MOST_OPERATIONS = 64;
    private const FEWEST_BATCHES = 5;
    private const MOST_BATCHES = 50;

    /** @param string $address see Stores::open() */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim('objects, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        $subjects = [];
        foreach (self::values() as $value => $make) {
            foreach (['get', 'set'] as $operation) {
                $subjects[] = $this->subject($value, $make, $operation);
            }
        }

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        $store = Stores::open($this->address);
        $timer = new Timer(mostTimes: self::MOST_OPERATIONS);
        foreach (self::values() as $value => $make) {
            foreach (['get', 'set'] as $operation) {
                $subject = $this->subject($value, $make, $operation);

                try {
                    $times = $timer->measureFor(
                        new KeyLoop($store, $operation === 'set', $make),
                        1_000_000 * $this->milliseconds,
                        self::FEWEST_BATCHES,
                        self::MOST_BATCHES,
                    );
                    $tell(new Sample($subject, Statistics::median($times)));
                } catch (WrongResults $wrong) {
                    $tell(Sample::failed($subject, $wrong->getMessage(), $wrong->operations));
                }
            }
        }
    }

    /** @return non-empty-array<string, \Closure(int): mixed> by name; each number gives another value */
    private static function values(): array
    {
        return [
            'row of 23 strings' => self::row(...),
            '50 rows of 23 strings' => static function (int $number): array {
                $rows = [];
                for ($i = 0; $i < self::ROWS; ++$i) {
                    $rows[] = self::row($number + $i);
                }

                return $rows;
            },
            'typed object' => Product::number(...),
        ];
    }

    /** A row as a database client returns it: all strings, most of them short. */
    private static function row(int $number): \stdClass
    {
        $row = new \stdClass();
        for ($i = 0; $i < self::FIELDS; ++$i) {
            $row->{\sprintf('field_%d', $i)} = $i % 5 === 4 ? str_repeat(
                \sprintf('text %d of row %d. ', $i, $number),
                6,
            ) : \sprintf('%d-%d', $number, $i);
        }

        return $row;
    }

    /** @param \Closure(int): mixed $make */
    private function subject(string $value, \Closure $make, string $operation): Subject
    {
        return Objects::subject($this->store, $this->connection, $value, \strlen(serialize($make(0))), $operation);
    }
}
