<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Histogram;
use Larder\Contract\Store;

/** See Entries. */
final class EntriesTask implements Task
{
    private const VALUE_BYTES = 100;

    /** Key of the number of entries, which stay for all rounds. */
    private const FILLED = 'entries-filled';

    /** Entries to store between two progress messages. */
    private const PART = 20_000;

    /**
     * @param string $address see Stores::open()
     * @param int $processes that fill the store
     */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly int $entries,
        private readonly int $processes,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim(\sprintf('%s entries, %s %s', number_format($this->entries), $this->store, $this->connection));
    }

    public function subjects(): array
    {
        return [$this->subject('get'), $this->subject('set')];
    }

    public function run(\Closure $tell): void
    {
        $store = Stores::open($this->address);
        if ($store->get(self::FILLED) !== $this->entries) {
            $this->fill($store);
        }
        $tell($this->gets($store));
        $tell($this->sets($store));
    }

    /** The messages keep TaskBlock from treating silence as a hang. */
    private function fill(Store $store): void
    {
        for ($from = 0; $from < $this->entries; $from += self::PART) {
            $to = min($this->entries, $from + self::PART);
            Team::run($this->processes, fn(int $process): \Closure => function () use ($process, $from, $to): array {
                $store = Stores::open($this->address);
                for ($i = $from + $process; $i < $to; $i += $this->processes) {
                    if (!$store->set(self::key($i), self::value($i))) {
                        throw new \RuntimeException(\sprintf('refuses entry %d', $i));
                    }
                }

                return [];
            });
            fwrite(\STDOUT, \sprintf("%d of %d entries\n", $to, $this->entries));
        }
        $store->set(self::FILLED, $this->entries);
    }

    private function gets(Store $store): Sample
    {
        $times = Histogram::empty();
        $lost = $wrong = 0;
        for ($until = \hrtime(true) + 1_000_000 * $this->milliseconds; \hrtime(true) < $until;) {
            $number = random_int(0, $this->entries - 1);
            $key = self::key($number);
            $start = \hrtime(true);
            $value = $store->get($key);
            $times->record((int) (\hrtime(true) - $start));
            if ($value !== self::value($number)) {
                $value === null ? ++$lost : ++$wrong;
            }
        }

        return $lost + $wrong > 0
            ? Sample::failed(
                $this->subject('get'),
                \sprintf('%s values', $lost > 0 ? 'loses' : 'changes'),
                $lost + $wrong,
            )
            : new Sample($this->subject('get'), (float) $times->percentile(50), 0, '', $times);
    }

    private function sets(Store $store): Sample
    {
        $times = Histogram::empty();
        $refused = 0;
        for ($until = \hrtime(true) + 1_000_000 * $this->milliseconds; \hrtime(true) < $until;) {
            $number = random_int(0, $this->entries - 1);
            $key = self::key($number);
            $value = self::value($number);
            $start = \hrtime(true);
            $isStored = $store->set($key, $value);
            $times->record((int) (\hrtime(true) - $start));
            $refused += $isStored ? 0 : 1;
        }

        return $refused > 0
            ? Sample::failed($this->subject('set'), 'refuses values', $refused)
            : new Sample($this->subject('set'), (float) $times->percentile(50), 0, '', $times);
    }

    private function subject(string $operation): Subject
    {
        return Entries::subject($this->store, $this->connection, $this->entries, $operation);
    }

    private static function key(int $number): string
    {
        return \sprintf('entry-%d', $number);
    }

    private static function value(int $number): string
    {
        return str_pad(\sprintf('%d ', $number), self::VALUE_BYTES, 'an entry of a hundred bytes ');
    }
}
