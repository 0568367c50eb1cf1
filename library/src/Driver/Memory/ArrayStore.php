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
use Psr\Clock\ClockInterface;

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

    /** @var array<array-key, array{bool, mixed, float}> encoded?, value, time of expiry by the clock (0.0 for never) */
    private array $entries = [];

    /** @param ClockInterface|null $clock by which values and locks expire, for tests; null for that of the machine */
    public function __construct(private readonly Codec $codec = new PhpCodec(), private readonly ?ClockInterface $clock = null) {}

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
        $this->entries[$key] = [...$this->pack($key, $value), $this->byClock($until)];

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
        $new = $change($entry === null ? null : new Entry([$entry[0], $entry[1]], $entry[2] === 0.0 ? 0.0 : $entry[2] - $this->ahead()));
        if ($new === false) {
            return false;
        }
        if ($new === null) {
            unset($this->entries[$key]);
        } else {
            $this->entries[$key] = [...$new->stored, $new->until === null ? $entry[2] ?? 0.0 : $this->byClock($new->until)];
        }

        return true;
    }

    /**
     * @param float $moment unix time of the machine, 0.0 for never
     * @return float by the clock
     */
    private function byClock(float $moment): float
    {
        return $moment === 0.0 ? 0.0 : $moment + $this->ahead();
    }

    /** Seconds by which the clock is ahead of the machine's. */
    private function ahead(): float
    {
        return $this->clock === null ? 0.0 : (float) $this->clock->now()->format('U.u') - microtime(true);
    }

    /** @return array{bool, mixed, float}|null */
    private function entry(string $key): ?array
    {
        Key::check($key);
        $entry = $this->entries[$key] ?? null;
        if ($entry !== null && $entry[2] !== 0.0 && $entry[2] <= $this->byClock(microtime(true))) {
            unset($this->entries[$key]);

            return null;
        }

        return $entry;
    }
}
