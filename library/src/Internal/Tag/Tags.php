<?php

declare(strict_types=1);

namespace Larder\Internal\Tag;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Internal\Key\ReservedKey;
use Larder\Key\Key;

/**
 * Tags of values, without lists of tagged values. Each tag has a version, a random number in the same store. A tagged
 * value contains the versions that its tags had before it was computed, and is out of date once one of them is gone.
 *
 * So an invalidation is one deletion for each tag, whatever has it. A version that the store lost for another reason
 * has the same effect, since its successor is another number (two are equal by accident once in 2^63): a lost version
 * never brings an old value back. A version has no expiry: one entry stays for each tag until the tag is invalidated.
 */
final class Tags
{
    public function __construct(private readonly Store $store) {}

    /**
     * The current versions of tags; a tag without one gets one. Call it before reading the data that a value is
     * computed from. Takes one fetch for all, and two steps for each new tag.
     *
     * @param iterable<string|int> $tags 1 to 65,535 bytes each; integers, as PHP makes them of array keys such as "7"
     * @return array<array-key, int>|null by tag; null if the store refused (full, unreachable): then nothing can be
     *         tagged
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

    /** @param array<array-key, int|string> $tagVersions from capture(); with one fetch for all */
    public function areCurrent(array $tagVersions): bool
    {
        foreach (\count($tagVersions) === 1 ? $tagVersions : [] as $tag => $version) {
            return $this->store->get(ReservedKey::tag((string) $tag)) === $version;
        }

        return $tagVersions === [] || $this->current([$tagVersions]) !== [];
    }

    /**
     * The values whose tags are unchanged. Takes one fetch for all.
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
     * @param iterable<string|int> $tags
     * @return bool false if the store, or one of its servers, is unreachable: it may still serve such values
     * @throws InvalidKey before anything is invalidated
     */
    public function invalidate(iterable $tags): bool
    {
        return $this->store->deleteMany(array_values(self::keys($tags)));
    }

    /** Processes that do so at once get the version that the store then has, or one that never becomes current. */
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
            $length = \strlen((string) $tag);
            if ($length === 0) {
                throw new InvalidKey('A tag must not be empty');
            }
            if ($length > Key::MAX_LENGTH) {
                $longest = Key::MAX_LENGTH;
                throw new InvalidKey("A tag must not be longer than $longest bytes, this one has $length");
            }
            $keys[$tag] = ReservedKey::tag((string) $tag);
        }

        return $keys;
    }
}
