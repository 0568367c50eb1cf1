<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/** See Pressure. */
final class PressureTask implements Task
{
    private const VALUE_BYTES = 4_000;

    /** One of this many sets is read back at once. */
    private const READ_BACK = 16;

    /**
     * @param string $address see Stores::open()
     * @param int $bytes that the store may take
     * @param non-empty-list<float> $ratios size of the data divided by $bytes
     * @param int $warmUp gets between the first sets and the gets that count
     */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly int $bytes,
        private readonly array $ratios,
        private readonly int $warmUp,
        private readonly int $gets,
    ) {}

    public function name(): string
    {
        return rtrim('pressure, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        return array_merge(...array_map($this->subjectsOf(...), $this->ratios));
    }

    public function run(\Closure $tell): void
    {
        $store = Stores::open($this->address);
        foreach ($this->ratios as $ratio) {
            $store->clear();
            $keys = max(1, (int) round($ratio * $this->bytes / \strlen(self::key(0) . self::value(0))));
            $hits = $sets = $refused = $readBack = $lost = $wrong = 0;
            // The order of the numbers is unrelated to popularity. Twice the capacity is enough to fill the store.
            for ($number = 0, $last = min($keys, intdiv(2 * $keys, max(1, (int) $ratio))); $number < $last; ++$number) {
                $refused += $store->set(self::key($number), self::value($number)) ? 0 : 1;
                ++$sets;
            }
            foreach (Keys::Zipf->sequence($keys, $this->warmUp + $this->gets) as $n => $number) {
                $key = self::key($number);
                $value = $store->get($key);
                if ($value !== null) {
                    $hits += $n < $this->warmUp ? 0 : 1;
                    $wrong += $value === self::value($number) ? 0 : 1;
                    continue;
                }
                ++$sets;
                if (!$store->set($key, self::value($number))) {
                    ++$refused;
                } elseif ($sets % self::READ_BACK === 0) {
                    ++$readBack;
                    $lost += $store->get($key) === null ? 1 : 0;
                }
            }
            $store->clear();
            $figures = [
                100 * $hits / $this->gets,
                1_000 * $refused / max(1, $sets),
                1_000 * $lost / max(1, $readBack),
            ];
            foreach ($this->subjectsOf($ratio) as $i => $subject) {
                $tell($wrong > 0
                    ? Sample::failed($subject, \sprintf('gives wrong values (%d)', $wrong), $wrong)
                    : new Sample($subject, $figures[$i]));
            }
        }
    }

    /** @return array{Subject, Subject, Subject} */
    private function subjectsOf(float $ratio): array
    {
        $settings = ['data' => \sprintf('%gx the memory', $ratio)];

        return array_map(
            fn(string $operation): Subject
                => Pressure::subject($this->store, $this->connection, $operation, self::VALUE_BYTES, $settings),
            [Pressure::HITS, Pressure::REFUSED, Pressure::LOST],
        );
    }

    private static function key(int $number): string
    {
        return \sprintf('pressure-%06d', $number);
    }

    private static function value(int $number): string
    {
        return str_pad(
            \sprintf('%06d ', $number),
            self::VALUE_BYTES,
            'As many bytes as fit into a page of most file systems. ',
        );
    }
}
