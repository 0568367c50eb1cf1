<?php

declare(strict_types=1);

namespace Larder\Http;

/**
 * What is known of a URL: by which request headers its responses vary, and which variants are kept. All of that is kept
 * under names with the id that the URL has; when it gets another one, nothing of before is looked for.
 */
final class KnownUrl
{
    /**
     * @param list<string> $names of request headers, lower case, sorted
     * @param array<string, int> $variants by their name in the cache, the oldest first: seconds for which they may be stale
     * @param float $passedUntil unix time until which nobody waits for a response of it
     */
    private function __construct(
        public readonly string $id,
        public readonly array $names,
        private readonly array $variants,
        private readonly float $passedUntil,
    ) {}

    /** @param mixed $stored by stored(); anything else is nothing known */
    public static function of(string $id, mixed $stored): self
    {
        if (!\is_array($stored) || array_keys($stored) !== ['names', 'variants', 'passed']) {
            return new self($id, [], [], 0.0);
        }
        /** @var array{names: list<string>, variants: array<string, int>, passed: float} $stored */
        return new self($id, $stored['names'], $stored['variants'], $stored['passed']);
    }

    /** @return array<string, mixed> */
    public function stored(): array
    {
        return ['names' => $this->names, 'variants' => $this->variants, 'passed' => $this->passedUntil];
    }

    public function isPassed(float $now): bool
    {
        return $now < $this->passedUntil;
    }

    public function passed(float $until): self
    {
        return new self($this->id, $this->names, $this->variants, $until);
    }

    /** @param list<string> $names by which a response that may be kept varies */
    public function with(array $names): self
    {
        $all = array_values(array_unique([...$this->names, ...$names]));
        sort($all);

        return new self($this->id, $all, $this->variants, 0.0);
    }

    /** @return int|null seconds for which this variant may be stale; null if it is not known */
    public function stale(string $variant): ?int
    {
        return $this->variants[$variant] ?? null;
    }

    /** @param \Closure(string): void $forget called with those that are too many */
    public function including(string $variant, int $stale, int $most, \Closure $forget): self
    {
        $variants = [...array_diff_key($this->variants, [$variant => true]), $variant => $stale];
        array_map($forget, array_keys(\array_slice($variants, 0, max(0, \count($variants) - $most))));

        return new self($this->id, $this->names, \array_slice($variants, -$most), 0.0);
    }
}
