<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Larder\Psr\Expires;
use Larder\Psr\InvalidArgument;
use Larder\Psr\Keys;
use Larder\Remember\Computation;
use Larder\Tag\TaggedValue;
use Psr\Clock\ClockInterface;
use Symfony\Contracts\Cache\ItemInterface;

/** What a callback of SymfonyCache::get() is given: it says here when the value expires, and what its tags are. */
final class SymfonyItem implements ItemInterface
{
    use Expires;

    private mixed $value;
    private bool $isSaved = false;

    /** @var array<string, mixed> of the previous value; once computed, of the new one */
    private array $metadata;

    /** @var array<string, string> */
    private array $tags = [];

    /** @internal items come from SymfonyCache */
    public function __construct(private readonly Computation $computation, ClockInterface $clock)
    {
        $this->clock = $clock;
        $this->value = $computation->previous?->value;
        $this->metadata = self::metadata($computation->previous);
    }

    public function getKey(): string
    {
        return $this->computation->key;
    }

    /** @return mixed the previous value, or what was set(); the new value is what the callback returns */
    public function get(): mixed
    {
        return $this->value;
    }

    /** Whether there is a previous value, which is recomputed early, or by $beta of INF. */
    public function isHit(): bool
    {
        return $this->computation->previous !== null;
    }

    public function set(mixed $value): static
    {
        $this->value = $value;

        return $this;
    }

    /**
     * From this call on: what is invalidated later makes the value a miss.
     *
     * @param string|iterable<mixed> $tags
     * @throws InvalidArgument
     */
    public function tag(string|iterable $tags): static
    {
        $tags = Keys::list(\is_string($tags) ? [$tags] : $tags);
        $this->computation->tag(...$tags);
        $this->tags = array_combine($tags, $tags) + $this->tags;

        return $this;
    }

    /** @return array<string, mixed> of the previous value, as far as known: when it expires, its tags, and the milliseconds that it took */
    public function getMetadata(): array
    {
        return $this->metadata;
    }

    /**
     * @internal
     * @return array<string, mixed>
     */
    public static function metadata(?TaggedValue $value): array
    {
        return array_filter([
            self::METADATA_EXPIRY => $value?->freshUntil,
            self::METADATA_TAGS => array_combine($value->tags ?? [], $value->tags ?? []),
            self::METADATA_CTIME => (int) ceil(1000 * ($value->cost ?? 0.0)),
        ], static fn(mixed $known): bool => !\in_array($known, [null, 0.0, 0, []], true));
    }

    /** @internal when the callback has returned */
    public function finish(float $seconds, bool $save): void
    {
        $this->isSaved = $save;
        $this->metadata = $this->tags === [] ? [] : [self::METADATA_TAGS => $this->tags];
        $left = $this->expiry?->left();
        if (!$save || ($left !== null && $left <= 0.0)) {
            $this->computation->doNotStore();

            return;
        }
        if ($left !== null) {
            $this->computation->expireAfter($left);
            $this->metadata[self::METADATA_EXPIRY] = $this->expiry->at;
        }
        $this->metadata[self::METADATA_CTIME] = (int) ceil(1000 * $seconds);
    }

    /** @internal whether what the callback wanted saved had expired by then */
    public function isOver(): bool
    {
        return $this->isSaved && $this->expiry?->isOver() === true;
    }
}
