<?php

declare(strict_types=1);

namespace Larder\Internal\Bridge;

use Larder\Internal\Psr\Keys;
use Larder\Internal\Tag\TaggedValue;
use Larder\Psr\InvalidArgument;
use Larder\Psr\Item;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Symfony\Contracts\Cache\ItemInterface;

/** The argument of the callback of SymfonyCache::get(), for the expiry and the tags of the value. */
final class SymfonyItem extends Item implements ItemInterface
{
    private bool $isSaved = false;

    /** @var array<string, mixed> of the previous value; once computed, of the new one */
    private array $metadata;

    /** @var array<string, string> */
    private array $tags = [];

    /** @internal items come from SymfonyCache */
    public function __construct(private readonly Computation $computation, ?ClockInterface $clock)
    {
        parent::__construct($computation->key, $computation->previous?->value, $computation->previous !== null, $clock);
        $this->metadata = self::metadata($computation->previous);
    }

    /**
     * @param string|\Stringable|iterable<mixed> $tags strings, or objects with __toString(), whose versions count from
     *         now on
     * @throws InvalidArgument
     */
    public function tag(string|\Stringable|iterable $tags): static
    {
        $tags = self::listOf(is_iterable($tags) ? $tags : [$tags]);
        $this->computation->tag(...$tags);
        $this->tags = array_combine($tags, $tags) + $this->tags;

        return $this;
    }

    /**
     * @param iterable<mixed> $tags
     * @return list<string>
     */
    public static function listOf(iterable $tags): array
    {
        $strings = [];
        foreach ($tags as $tag) {
            $strings[] = $tag instanceof \Stringable ? (string) $tag : $tag;
        }

        return Keys::list($strings);
    }

    /** @return array<string, mixed> expiry, tags and milliseconds of the computation, as far as known */
    public function getMetadata(): array
    {
        return $this->metadata;
    }

    /** @return array<string, mixed> */
    public static function metadata(?TaggedValue $value): array
    {
        return array_filter([
            self::METADATA_EXPIRY => $value?->freshUntil,
            self::METADATA_TAGS => array_combine($value->tags ?? [], $value->tags ?? []),
            self::METADATA_CTIME => (int) ceil(1000 * ($value->cost ?? 0.0)),
        ], static fn(mixed $known): bool => !\in_array($known, [null, 0.0, 0, []], true));
    }

    /** @internal called when the callback has returned */
    public function finish(float $seconds, bool $save): void
    {
        $this->isSaved = $save;
        $this->metadata = $this->tags === [] ? [] : [self::METADATA_TAGS => $this->tags];
        $expiry = $this->expiry();
        $left = $expiry?->left();
        if (!$save || ($left !== null && $left <= 0.0)) {
            $this->computation->doNotStore();

            return;
        }
        if ($left !== null) {
            $this->computation->expireAfter($left);
            $this->metadata[self::METADATA_EXPIRY] = $expiry->at;
        }
        $this->metadata[self::METADATA_CTIME] = (int) ceil(1000 * $seconds);
    }

    /** @internal true if the value to save had expired by then */
    public function isOver(): bool
    {
        return $this->isSaved && $this->expiry()?->isOver() === true;
    }
}
