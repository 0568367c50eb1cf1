<?php

declare(strict_types=1);

namespace Larder\Decorator\Sampling;

/**
 * How a cache is used, as found by samples: how often values of which size are read and written. A count is that of the
 * samples times the operations for which each stands. Its memory is bounded: a count for each power of two.
 */
final class Recording
{
    private const FORMAT = 1;
    public const LONGEST = 16_384;
    /** Numbers beyond this would overflow when more is added; nobody records so much. */
    private const MOST = 1e15;
    private const COUNT = '/^(?:(?:hit|write) (?:string|other) (?:[0-9]|[1-5][0-9]|6[0-3])|miss)$/D';

    /**
     * @param array<string, float> $counts operations by what they were: "hit string 7" found a string of 2^6 to 2^7 - 1
     *                                     bytes, "write other 0" stored an empty value that is no string, "miss" found nothing
     * @param float $requests how many there were, as far as the samples show
     * @param int $samples operations that were looked at
     * @param float $since unix time of the first sample; 0.0 without one
     * @param float $until of the last one
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

    /**
     * @param array<string, int> $samples by what they were
     * @param int $every for how many operations each stands
     */
    public function with(array $samples, int $every, float $requests): self
    {
        $counts = $this->counts;
        foreach ($samples as $kind => $count) {
            $counts[$kind] = ($counts[$kind] ?? 0.0) + (float) $count * $every;
        }
        $now = microtime(true);

        return new self($counts, $this->requests + $requests, $this->samples + array_sum($samples), $this->samples === 0 ? $now : $this->since, $now);
    }

    /** The bin of a size: 0 for none, n for 2^(n-1) to 2^n - 1 bytes. */
    public static function bin(int $bytes): int
    {
        return $bytes === 0 ? 0 : (int) log($bytes, 2) + 1;
    }

    /** @return self|null null for what is no recording, or a damaged one */
    public static function parse(string $line): ?self
    {
        $fields = \strlen($line) > self::LONGEST ? null : json_decode($line, true);
        if (!\is_array($fields) || ($fields['format'] ?? null) !== self::FORMAT || !\is_array($fields['counts'] ?? null)) {
            return null;
        }
        $counts = [];
        foreach ($fields['counts'] as $kind => $count) {
            if (preg_match(self::COUNT, (string) $kind) !== 1 || !self::isPossible($count)) {
                return null;
            }
            $counts[(string) $kind] = $count;
        }
        [$requests, $samples, $since, $until] = [$fields['requests'] ?? null, $fields['samples'] ?? null, $fields['since'] ?? null, $fields['until'] ?? null];

        return \is_int($samples) && $samples >= 0 && $samples <= self::MOST && self::isPossible($requests) && self::isPossible($since) && self::isPossible($until)
            ? new self($counts, $requests, $samples, $since, $until) : null;
    }

    /** @phpstan-assert-if-true float $number */
    private static function isPossible(mixed $number): bool
    {
        return \is_float($number) && $number >= 0.0 && $number <= self::MOST;
    }

    public function __toString(): string
    {
        return json_encode([
            'format' => self::FORMAT,
            'since' => $this->since,
            'until' => $this->until,
            'requests' => $this->requests,
            'samples' => $this->samples,
            'counts' => $this->counts,
        ], \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_FORCE_OBJECT);
    }
}
