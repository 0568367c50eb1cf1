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
     * @param bool $isLearned whether a response to a whole request has told that it may be kept
     * @param float $passedUntil unix time until which the application answers for itself, as a response could not be kept
     */
    private function __construct(
        public readonly string $id,
        public readonly array $names,
        private readonly array $variants,
        private readonly bool $isLearned,
        private readonly float $passedUntil,
    ) {}

    /** @param mixed $stored by stored(); anything else is nothing known */
    public static function of(string $id, mixed $stored): self
    {
        if (!\is_array($stored) || array_keys($stored) !== ['names', 'variants', 'learned', 'passed']) {
            return new self($id, [], [], false, 0.0);
        }
        /** @var array{names: list<string>, variants: array<string, int>, learned: bool, passed: float} $stored */
        return new self($id, $stored['names'], $stored['variants'], $stored['learned'], $stored['passed']);
    }

    /** @return array<string, mixed> */
    public function stored(): array
    {
        return ['names' => $this->names, 'variants' => $this->variants, 'learned' => $this->isLearned, 'passed' => $this->passedUntil];
    }

    public function isPassed(float $now): bool
    {
        return $now < $this->passedUntil;
    }

    public function isLearned(): bool
    {
        return $this->isLearned;
    }

    public function passed(float $until): self
    {
        return new self($this->id, $this->names, $this->variants, false, $until);
    }

    /** @param list<string> $names by which a response that may be kept varies */
    public function with(array $names): self
    {
        $all = array_values(array_unique([...$this->names, ...$names]));
        sort($all);

        return new self($this->id, $all, $this->variants, true, 0.0);
    }

    /** @return int|null seconds for which this variant may be stale; null if it is not known */
    public function stale(string $variant): ?int
    {
        return $this->variants[$variant] ?? null;
    }

    /** @return array{self, list<string>} with this variant as the newest, and those that are too many then */
    public function including(string $variant, int $stale, int $most): array
    {
        $variants = [...array_diff_key($this->variants, [$variant => true]), $variant => $stale];
        $dropped = array_keys(\array_slice($variants, 0, max(0, \count($variants) - $most)));

        return [new self($this->id, $this->names, \array_slice($variants, \count($dropped)), true, 0.0), $dropped];
    }
}
