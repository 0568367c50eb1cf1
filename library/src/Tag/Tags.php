<?php

declare(strict_types=1);

namespace Larder\Tag;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Key\Key;
use Larder\Key\ReservedKey;

/**
 * Tags of values, without lists of what carries them: each tag has a version, a random number that stands in the same
 * store, and a tagged value has beside it the versions that its tags had before it was computed. It is out of date once
 * one of them is not there any more.
 *
 * So an invalidation is one deletion a tag, whatever carries it. A tag version that the store lost for another reason has
 * the same effect, since its successor is another number: a lost tag version never brings an old value back. No number comes
 * twice but by accident, one in 2^63. A tag version has no expiry: one entry a tag stays until the tag is invalidated.
 */
final class Tags
{
    public function __construct(private readonly Store $store) {}

    /**
     * The versions of tags as they are now; who has none gets one. To be called before what a value is computed from is
     * read. Takes one fetch for all of them, and two steps for each that is new.
     *
     * @param iterable<string|int> $tags 1 to 65,535 bytes each; PHP makes integers of array keys such as "7": they are taken
     * @return array<array-key, int>|null by tag; null when the store refused (full, unreachable): then nothing can be tagged
     * @throws InvalidKey
     */
    public function capture(iterable $tags): ?array
    {
        $keys = self::keys($tags);
        $found = $keys === [] ? [] : $this->store->getMany(array_values($keys));
        $tagVersions = [];
        foreach ($keys as $tag => $key) {
            $version = $found[$key] ?? $this->create($key);
            if (!\is_int($version)) {
                return null;
            }
            $tagVersions[$tag] = $version;
        }

        return $tagVersions;
    }

    /**
     * Whether none of these tags was invalidated since, and none of their versions lost. Takes one fetch for all.
     *
     * @param array<array-key, int|string> $tagVersions from capture()
     */
    public function areCurrent(array $tagVersions): bool
    {
        $keys = [];
        foreach ($tagVersions as $tag => $version) {
            $keys[] = ReservedKey::tag((string) $tag);
        }
        if (\count($keys) === 1) {
            return $this->store->get($keys[0]) === $version;
        }
        $now = $keys === [] ? [] : $this->store->getMany($keys);
        foreach (array_values($tagVersions) as $i => $version) {
            if ($now[$keys[$i]] !== $version) {
                return false;
            }
        }

        return true;
    }

    /**
     * Those whose tags are all as they were. Takes one fetch for all.
     *
     * @template K of array-key
     * @param array<K, array<array-key, int|string>> $many tag versions from capture(), of several values
     * @return array<K, array<array-key, int|string>>
     */
    public function current(array $many): array
    {
        $keys = [];
        foreach ($many as $tagVersions) {
            foreach ($tagVersions as $tag => $version) {
                $keys[$tag] ??= ReservedKey::tag((string) $tag);
            }
        }
        $now = $keys === [] ? [] : $this->store->getMany(array_values($keys));

        return array_filter($many, static function (array $tagVersions) use ($keys, $now): bool {
            foreach ($tagVersions as $tag => $version) {
                if ($now[$keys[$tag]] !== $version) {
                    return false;
                }
            }

            return true;
        });
    }

    /**
     * Makes every value with one of these tags a miss, and every one that is being computed since before.
     *
     * @param iterable<string|int> $tags
     * @return bool false when the store, or one of its servers, could not be reached: values may be served there still
     * @throws InvalidKey before anything is invalidated
     */
    public function invalidate(iterable $tags): bool
    {
        return $this->store->deleteMany(array_values(self::keys($tags)));
    }

    /** Of processes that do so at once, all get what the store has afterwards, or one that never becomes current. */
    private function create(string $key): mixed
    {
        $version = random_int(1, \PHP_INT_MAX);
        $created = Capability::Atomic->isOf($this->store)
            ? Capability::of($this->store, AtomicStore::class)->add($key, $version)
            : $this->store->set($key, $version);

        return $created ? $version : $this->store->get($key);
    }

    /**
     * @param iterable<string|int> $tags
     * @return array<array-key, string> by tag, each once
     */
    private static function keys(iterable $tags): array
    {
        $keys = [];
        foreach ($tags as $tag) {
            if ($tag === '') {
                throw new InvalidKey('A tag must not be empty');
            }
            if (\strlen((string) $tag) > Key::MAX_LENGTH) {
                throw new InvalidKey(\sprintf('A tag must not be longer than %d bytes, this one has %d', Key::MAX_LENGTH, \strlen((string) $tag)));
            }
            $keys[$tag] = ReservedKey::tag((string) $tag);
        }

        return $keys;
    }
}
