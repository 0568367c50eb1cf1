<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

/**
 * The request headers by which the responses of a URL vary, and the stored variants. Their names have the URL's id:
 * with a new id, none of them is found any more.
 */
final class KnownUrl
{
    /**
     * @param list<string> $names of request headers, lower case, sorted
     * @param array<string, int> $variants seconds for which they may be stale, by name in the cache, the oldest first
     * @param bool $isLearned true if a response to a whole request has shown that it may be stored
     * @param float $passedUntil unix time until which the application answers, as a response could not be stored
     */
    private function __construct(
        public readonly string $id,
        public readonly array $names,
        private readonly array $variants,
        public readonly bool $isLearned,
        private readonly float $passedUntil,
    ) {}

    /** @param mixed $stored from stored(); anything else counts as nothing known */
    public static function of(string $id, mixed $stored): self
    {
        if (!\is_array($stored) || !array_is_list($stored) || \count($stored) !== 4) {
            return new self($id, [], [], false, 0.0);
        }

        /** @var array{list<string>, array<string, int>, bool, float} $stored */
        return new self($id, ...$stored);
    }

    /** @return list<mixed> */
    public function stored(): array
    {
        return [$this->names, $this->variants, $this->isLearned, $this->passedUntil];
    }

    public function isPassed(float $now): bool
    {
        return $now < $this->passedUntil;
    }

    public function passed(float $until): self
    {
        return new self($this->id, $this->names, $this->variants, false, $until);
    }

    /** @param list<string> $names by which a response that may be stored varies */
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

    /** @return array{self, list<string>} with this variant as the newest, and the names of those in excess */
    public function including(string $variant, int $stale, int $most): array
    {
        $variants = [...array_diff_key($this->variants, [$variant => true]), $variant => $stale];
        $dropped = array_keys(\array_slice($variants, 0, max(0, \count($variants) - $most)));

        return [new self($this->id, $this->names, \array_slice($variants, \count($dropped)), true, 0.0), $dropped];
    }
}
