<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Larder\Psr\Expires;
use Larder\Psr\InvalidArgument;
use Larder\Psr\Keys;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Symfony\Contracts\Cache\ItemInterface;

/** What a callback of SymfonyCache::get() is given: it says here when the value expires, and what its tags are. */
final class SymfonyItem implements ItemInterface
{
    use Expires;

    private mixed $value = null;
    private bool $isSaved = false;

    /** @var array<string, mixed> */
    private array $metadata = [];

    /** @internal items come from SymfonyCache */
    public function __construct(private readonly Computation $computation, ClockInterface $clock)
    {
        $this->clock = $clock;
    }

    public function getKey(): string
    {
        return $this->computation->key;
    }

    /** @return mixed what was set(); the value is what the callback returns */
    public function get(): mixed
    {
        return $this->value;
    }

    /** Never: the callback is called to compute. */
    public function isHit(): bool
    {
        return false;
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
        $this->metadata[self::METADATA_TAGS] = array_combine($tags, $tags) + (array) ($this->metadata[self::METADATA_TAGS] ?? []);

        return $this;
    }

    /** @return array<string, mixed> once computed: when it expires, its tags, and the milliseconds that it took */
    public function getMetadata(): array
    {
        return $this->metadata;
    }

    /** @internal when the callback has returned */
    public function finish(float $seconds, bool $save): void
    {
        $this->isSaved = $save;
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
