<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Sampling;

/**
 * The use of a cache, by samples: number of reads and writes by size of the value. A count is the number of samples
 * times the operations that each stands for. Memory is bounded: there is one count for each power of two.
 */
final class Recording
{
    private const FORMAT = 1;
    public const LONGEST = 16_384;
    /** Larger numbers would overflow in a sum. */
    private const MOST = 1e15;
    private const FIELDS = ['format', 'since', 'until', 'requests', 'samples', 'counts'];
    private const COUNT = '/^(?:(?:hit|write) (?:string|other) (?:[0-9]|[1-5][0-9]|6[0-3])|miss)$/D';

    /**
     * @param array<string, float> $counts operations by kind: "hit string 7" found a string of 2^6 to 2^7 - 1 bytes,
     *         "write other 0" stored an empty value that is no string, "miss" found nothing
     * @param float $requests number of requests, by the samples
     * @param float $since unix time of the first sample; 0.0 without one
     * @param float $until unix time of the last one
     */
    private function __construct(
        public readonly array $counts,
        public readonly float $requests,
        public readonly int $samples,
        public readonly float $since,
        public readonly float $until,
    ) {}

    public static function empty(): self
    {
        return new self([], 0.0, 0, 0.0, 0.0);
    }

    /** @param array<string, int> $samples by kind, each for $every operations */
    public function with(array $samples, int $every, float $requests): self
    {
        $counts = $this->counts;
        foreach ($samples as $kind => $count) {
            $counts[$kind] = ($counts[$kind] ?? 0.0) + (float) $count * $every;
        }
        $now = microtime(true);

        $since = $this->samples === 0 ? $now : $this->since;

        return new self($counts, $this->requests + $requests, $this->samples + array_sum($samples), $since, $now);
    }

    /** @param string $operation "hit" or "write" */
    public static function kind(string $operation, mixed $value): string
    {
        $form = \is_string($value) ? 'string' : 'other';

        return \sprintf('%s %s %d', $operation, $form, self::bin(ValueSize::of($value)));
    }

    /** The bin of a size: 0 for none, n for 2^(n-1) to 2^n - 1 bytes. */
    public static function bin(int $bytes): int
    {
        return $bytes === 0 ? 0 : (int) log($bytes, 2) + 1;
    }

    /** @return self|null null for no recording, or a damaged one */
    public static function parse(string $line): ?self
    {
        $fields = \strlen($line) > self::LONGEST ? null : json_decode($line, true);
        $fields = (\is_array($fields) ? $fields : []) + array_fill_keys(self::FIELDS, null);
        if ($fields['format'] !== self::FORMAT || !\is_array($fields['counts'])) {
            return null;
        }
        $counts = [];
        foreach ($fields['counts'] as $kind => $count) {
            if (preg_match(self::COUNT, (string) $kind) !== 1 || !self::isPossible($count)) {
                return null;
            }
            $counts[(string) $kind] = $count;
        }
        ['requests' => $requests, 'samples' => $samples, 'since' => $since, 'until' => $until] = $fields;

        return \is_int($samples) && $samples >= 0 && $samples <= self::MOST
            && self::isPossible($requests) && self::isPossible($since) && self::isPossible($until)
            ? new self($counts, $requests, $samples, $since, $until) : null;
    }

    /** @phpstan-assert-if-true float $number */
    private static function isPossible(mixed $number): bool
    {
        return \is_float($number) && $number >= 0.0 && $number <= self::MOST;
    }

    public function __toString(): string
    {
        $values = [self::FORMAT, $this->since, $this->until, $this->requests, $this->samples, $this->counts];
        $flags = \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_FORCE_OBJECT;

        return json_encode(array_combine(self::FIELDS, $values), $flags);
    }
}
