<?php

declare(strict_types=1);

namespace Larder\Driver\Memory;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\OneByOne;
use Larder\Driver\Common\PacksPlainData;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * Keeps values in this object, for this request: what a later get sees is what was set, whatever the caller has done
 * with its objects since. Nothing is evicted; what has expired goes when it is asked for or written over.
 */
final class ArrayStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, ResettableStore
{
    /** @use ChangesAtomically<array{bool, mixed}> */
    use ChangesAtomically;
    /** @use LocksByChanging<array{bool, mixed}> */
    use LocksByChanging;
    use OneByOne;
    use PacksPlainData;

    /** @var array<array-key, array{bool, mixed, float}> encoded?, value, unix time of expiry (0.0 for never) */
    private array $entries = [];

    public function __construct(private readonly Codec $codec = new PhpCodec()) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->entry($key);
        if ($entry === null) {
            return $default;
        }

        return $this->unpack($key, [$entry[0], $entry[1]], $default);
    }

    public function has(string $key): bool
    {
        return $this->entry($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $until = Ttl::until($ttl);
        $this->entries[$key] = [...$this->pack($key, $value), $until];

        return true;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        unset($this->entries[$key]);

        return true;
    }

    /** As at the end of a request that has a process of its own. */
    public function reset(): void
    {
        $this->entries = [];
    }

    public function clear(): bool
    {
        $this->entries = [];

        return true;
    }

    public function keys(): iterable
    {
        foreach (array_map(strval(...), array_keys($this->entries)) as $key) {
            if ($this->has($key)) {
                yield $key;
            }
        }
    }

    private function change(string $key, \Closure $change): bool
    {
        $entry = $this->entry($key);
        $new = $change($entry === null ? null : new Entry([$entry[0], $entry[1]], $entry[2]));
        if ($new === false) {
            return false;
        }
        if ($new === null) {
            unset($this->entries[$key]);
        } else {
            $this->entries[$key] = [...$new->stored, $new->until ?? $entry[2] ?? 0.0];
        }

        return true;
    }

    /** @return array{bool, mixed, float}|null */
    private function entry(string $key): ?array
    {
        Key::check($key);
        $entry = $this->entries[$key] ?? null;
        if ($entry !== null && $entry[2] !== 0.0 && $entry[2] <= microtime(true)) {
            unset($this->entries[$key]);

            return null;
        }

        return $entry;
    }
}
