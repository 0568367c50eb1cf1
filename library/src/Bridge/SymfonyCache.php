<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Larder\CacheInterface;
use Larder\Exception\CacheException;
use Larder\Internal\Bridge\SymfonyItem;
use Larder\Internal\ErrorLog;
use Larder\Internal\Psr\Keys;
use Larder\Psr\InvalidArgument;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/**
 * The cache contracts of Symfony over any store. Of processes that miss at once, one computes, as in Cache::remember().
 *
 * Keys and tags are as in PSR-6: without {}()/\@: in them. Nothing expires unless the callback says so.
 */
final class SymfonyCache implements TagAwareCacheInterface
{
    /**
     * @param ClockInterface|null $clock for expiresAt() and expiresAfter(); null for the machine's, which the stores
     *         have
     */
    public function __construct(
        private readonly CacheInterface $cache,
        private readonly ?ClockInterface $clock = null,
    ) {}

    /**
     * Also returns a value that cannot be stored, such as one with a closure: then PHP's error log receives the reason,
     * and the next call computes again.
     *
     * @param float|null $beta how early a value may be recomputed: 0 never, 1 as usual, INF now
     * @param array<mixed>|null $metadata expiry, tags, and milliseconds of the computation, as far as known. If this
     *         call does not compute, they take another read
     * @param-out array<string, mixed> $metadata
     * @throws InvalidArgument
     */
    public function get(string $key, callable $callback, ?float $beta = null, ?array &$metadata = null): mixed
    {
        Keys::check($key);
        if (!($beta === null || $beta >= 0)) {
            throw new InvalidArgument(\sprintf('$beta must be 0 or more, not %s', $beta));
        }
        $item = null;
        $computed = [];
        $make = function (Computation $computation) use ($callback, &$item, &$computed): mixed {
            $item = new SymfonyItem($computation, $this->clock);
            $begin = microtime(true);
            $save = true;
            $value = $callback($item, $save);
            $item->finish(microtime(true) - $begin, $save);
            $computed = [$value];

            return $value;
        };

        try {
            $value = $this->cache->remember($key, 0, $make, beta: $beta ?? 1.0);
        } catch (\Exception $thrown) {
            if ($computed === [] || $thrown instanceof CacheException) {
                throw $thrown;
            }
            [$value] = $computed;
            $context = ['key' => $key, 'reason' => $thrown->getMessage()];
            (new ErrorLog())->warning('the value of "{key}" is not stored: {reason}', $context);
        }
        $isAsked = $item === null && \func_num_args() > 3;
        $stored = $isAsked ? $this->cache->getManyWithTags([$key])[$key] ?? null : null;
        $metadata = $item?->getMetadata() ?? SymfonyItem::metadata($stored);
        if ($item?->isOver() === true) {
            $this->cache->delete($key); // the old value may still be there
        }

        return $value;
    }

    /**
     * @return bool true also if there was nothing
     * @throws InvalidArgument
     */
    public function delete(string $key): bool
    {
        Keys::check($key);

        return $this->cache->delete($key);
    }

    /**
     * @param array<mixed> $tags strings, or objects with __toString()
     * @throws InvalidArgument before anything changes
     */
    public function invalidateTags(array $tags): bool
    {
        return $this->cache->invalidateTags(SymfonyItem::listOf($tags));
    }
}
