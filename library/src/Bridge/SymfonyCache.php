<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Larder\CacheInterface;
use Larder\Process\SystemClock;
use Larder\Psr\InvalidArgument;
use Larder\Psr\Keys;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/**
 * The cache contracts of Symfony over any store. Of those who miss at once one computes, as in Cache::remember().
 *
 * Keys and tags are as in PSR-6: without {}()/\@: in them. Nothing expires unless the callback says so.
 */
final class SymfonyCache implements TagAwareCacheInterface
{
    /** @param ClockInterface $clock by which expiresAt() and expiresAfter() count; the stores have the machine's */
    public function __construct(private readonly CacheInterface $cache, private readonly ClockInterface $clock = new SystemClock()) {}

    /**
     * @param float|null $beta how early a value may be recomputed: 0 never, 1 as usual, INF now
     * @param array<mixed>|null $metadata when the value expires, its tags, and the milliseconds that it took to compute, as far
     *        as known. Of a value that was not computed in this call this takes another read
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
        $value = $this->cache->remember($key, 0, function (Computation $computation) use ($callback, &$item): mixed {
            $item = new SymfonyItem($computation, $this->clock);
            $begin = microtime(true);
            $save = true;
            $value = $callback($item, $save);
            $item->finish(microtime(true) - $begin, $save);

            return $value;
        }, beta: $beta ?? 1.0);
        $isAsked = \func_num_args() > 3;
        $metadata = $item?->getMetadata() ?? ($isAsked ? SymfonyItem::metadata($this->cache->getManyWithTags([$key])[$key] ?? null) : []);
        if ($item?->isOver() === true) {
            $this->cache->delete($key); // what may have been there before
        }

        return $value;
    }

    /**
     * @return bool true also when there was nothing
     * @throws InvalidArgument
     */
    public function delete(string $key): bool
    {
        Keys::check($key);

        return $this->cache->delete($key);
    }

    /**
     * @param array<mixed> $tags strings
     * @throws InvalidArgument before anything changes
     */
    public function invalidateTags(array $tags): bool
    {
        return $this->cache->invalidateTags(Keys::list($tags));
    }
}
