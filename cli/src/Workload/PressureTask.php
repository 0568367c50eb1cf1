<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/** See Pressure. */
final class PressureTask implements Task
{
    private const VALUE_BYTES = 4_000;

    /** One of this many sets is read back at once. Of mixed values, one of this many is compared. */
    private const READ_BACK = 16;

    /**
     * @param string $address see Stores::open()
     * @param int $bytes that the store may take
     * @param non-empty-list<float> $ratios size of the data divided by $bytes
     * @param int $warmUp gets between the first sets and the gets that count
     * @param array<string, string>|null $form settings of rows of mixed values; null for strings
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
        private readonly ?array $form = null,
    ) {}

    public function name(): string
    {
        $parts = ['pressure, ' . $this->store, $this->connection, ...array_values($this->form ?? [])];

        return implode(' ', array_filter($parts, static fn(?string $part): bool => $part !== null));
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
            $entry = $this->form === null ? \strlen(self::key(0) . self::string(0)) : MixedValue::BYTES;
            $keys = max(1, (int) round($ratio * $this->bytes / $entry));
            $capacity = $this->form === null ? intdiv($keys, max(1, (int) $ratio)) : $keys;
            $hits = $sets = $refused = $readBack = $lost = $wrong = 0;
            // The order of the numbers is unrelated to popularity. Twice the capacity is enough to fill the store.
            for ($number = 0, $last = min($keys, 2 * $capacity); $number < $last; ++$number) {
                $refused += $store->set(self::key($number), $this->value($number)) ? 0 : 1;
                ++$sets;
            }
            foreach (Keys::Zipf->sequence($keys, $this->warmUp + $this->gets) as $n => $number) {
                $key = self::key($number);
                $value = $store->get($key);
                if ($value !== null) {
                    $hits += $n < $this->warmUp ? 0 : 1;
                    $wrong += $this->isRight($n, $value, $number) ? 0 : 1;
                    continue;
                }
                ++$sets;
                if (!$store->set($key, $this->value($number))) {
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
        // The advice takes rows of strings only, which all stores have. It knows them by this setting.
        $data = $this->form === null ? '%gx the memory' : "%gx the memory in PHP's form";
        $settings = ['data' => \sprintf($data, $ratio)] + ($this->form ?? []);
        $value = $this->form === null ? ['4k', self::VALUE_BYTES] : ['mixed', MixedValue::BYTES];

        return array_map(
            fn(string $operation): Subject
                => Pressure::subject($this->store, $this->connection, $operation, $value[1], $settings, $value[0]),
            [Pressure::HITS, Pressure::REFUSED, Pressure::LOST],
        );
    }

    private static function key(int $number): string
    {
        return \sprintf('pressure-%06d', $number);
    }

    private function value(int $number): mixed
    {
        return $this->form === null ? self::string($number) : MixedValue::number($number);
    }

    private function isRight(int $get, mixed $value, int $number): bool
    {
        return match (true) {
            $this->form === null => $value === self::string($number),
            $get % self::READ_BACK > 0 => true,
            default => serialize($value) === serialize(MixedValue::number($number)),
        };
    }

    private static function string(int $number): string
    {
        return str_pad(
            \sprintf('%06d ', $number),
            self::VALUE_BYTES,
            'As many bytes as fit into a page of most file systems. ',
        );
    }
}
