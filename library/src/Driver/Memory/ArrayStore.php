<?php

declare(strict_types=1);

namespace Larder\Driver\Memory;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\LoopedBatch;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\PlainData;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Psr\Clock\ClockInterface;

/**
 * Keeps values in this object, for this request: a get returns the value as it was set, even if the caller has changed
 * its objects since. Nothing is evicted; an expired value is removed when it is read.
 */
final class ArrayStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, ResettableStore
{
    /** @use ChangesAtomically<array{bool, mixed}> */
    use ChangesAtomically;
    /** @use LocksByChanging<array{bool, mixed}> */
    use LocksByChanging;
    use LoopedBatch;

    /** @var array<array-key, array{bool, mixed, float}> true if encoded, value, expiry by the clock (0.0 for never) */
    private array $entries = [];

    /** @param ClockInterface|null $clock for the expiry of values and locks in tests; null for the machine's */
    public function __construct(
        private readonly Codec $codec = new PhpCodec(),
        private readonly ?ClockInterface $clock = null,
    ) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->entry($key);

        return $entry === null ? $default : $this->unpack($key, [$entry[0], $entry[1]], $default);
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
        $expiry = $entry[2] ?? 0.0;
        $until = $expiry === 0.0 ? 0.0 : $expiry - $this->ahead();
        $new = $change($entry === null ? null : new Entry([$entry[0], $entry[1]], $until));
        if ($new === null) {
            unset($this->entries[$key]);
        } elseif ($new !== false) {
            $expiry = $new->until === null ? $expiry : $this->byClock($new->until);
            $this->entries[$key] = [...$new->stored, $expiry];
        }

        return $new !== false;
    }

    /** @return array{bool, mixed} */
    private function pack(string $key, mixed $value): array
    {
        return PlainData::pack($value, $key, $this->codec);
    }

    /** @param array{bool, mixed} $stored */
    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $stored[0] && \is_string($stored[1]) ? $this->codec->decode($stored[1], $key, $default) : $stored[1];
    }

    /**
     * @param float $moment unix time by the machine's clock, 0.0 for never
     * @return float the same moment by the clock of this store
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
