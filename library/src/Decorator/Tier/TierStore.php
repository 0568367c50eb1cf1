<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\LockingStore;
use Larder\Contract\NamesServer;
use Larder\Contract\ReportsOutages;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Contract\Tokens;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\NotSupported;
use Larder\Key\Key;
use Larder\Key\ReservedKey;
use Larder\Key\Ttl;
use Larder\Remember\StoredValue;

/**
 * A local tier before a shared one: copies in the memory of this host of what a store keeps that many hosts share.
 *
 * The values are those of the shared tier: it is written first, and what it cannot do this cannot. A get is answered by
 * the local copy where there is one; this host's own writes are seen by its processes at once, others' after $pollSeconds seconds
 * at most, as each host asks the shared tier so often what was changed. While the shared tier does not answer, copies live
 * on; none lives longer than $localTtl seconds or its value's own time. Everybody who writes must do it by a tier.
 */
final class TierStore extends TransparentDecorator implements ReportsOutages, ResettableStore
{
    public readonly LocalCopies $copies;
    private readonly Store&ExpiryAwareStore $shared;
    private readonly string $localName;
    private readonly ChangeLog $log;
    private readonly ChangePoll $poll;
    private readonly ListenerPresence $presence;
    private readonly ?string $server;

    /**
     * @param string $identity of the shared tier (Dsn::identity()), because several may have copies in the same local tier
     * @param float $localTtl seconds, more than 0
     * @param float $pollSeconds seconds; 0.0 if nobody else writes to the shared tier, which is then never polled
     * @param NamesServer|null $client that may lead to another server later: then no copies are made of what it gives
     * @throws NotSupported if a tier has no atomic operations, or the shared one does not know expiry
     */
    public function __construct(Store $local, Store $shared, string $identity, public readonly float $localTtl, public readonly float $pollSeconds, private readonly ?NamesServer $client = null)
    {
        $this->shared = Capability::of($shared, ExpiryAwareStore::class);
        $this->localName = Capability::nameOf($local);
        $local = Capability::of($local, AtomicStore::class);
        $this->copies = new LocalCopies($local, $identity, $localTtl);
        $this->presence = new ListenerPresence($local, $identity);
        $this->log = new ChangeLog(Capability::of($shared, AtomicStore::class));
        $this->poll = new ChangePoll($this->copies, $this->log, $pollSeconds);
        $this->server = $client?->server();
    }

    public function secondsToProbe(string $key): float
    {
        return $this->shared instanceof ReportsOutages ? $this->shared->secondsToProbe($key) : 0.0;
    }

    public function decorated(): Store
    {
        return $this->shared;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = $this->copies->served($key, $this);
        if ($value !== $this) {
            return $value;
        }
        $lease = $this->copies->lease() ?? $this->poll->lease();
        $value = $this->copies->find($key, $lease[0], $this);
        if ($value !== $this) {
            return $value;
        }
        Key::check($key);
        $version = $this->copies->begin($key);
        $entry = $this->shared->entries([$key])[$key] ?? null;
        if ($entry === null) {
            return $default;
        }
        if ($this->isSameServer()) {
            $this->copies->fill($key, $entry, $lease, $version);
        }

        return $entry->stored;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        array_map(Key::check(...), $keys);
        $lease = $this->copies->lease() ?? $this->poll->lease();
        $found = $this->copies->findMany($keys, $lease[0]);
        $versions = [];
        foreach ($keys as $key) {
            if (!\array_key_exists($key, $found)) {
                $versions[$key] = $this->copies->begin($key);
            }
        }
        $entries = $versions === [] ? [] : $this->shared->entries(array_map(strval(...), array_keys($versions)));
        $isSame = $this->isSameServer();
        foreach ($entries as $key => $entry) {
            if ($isSame) {
                $this->copies->fill((string) $key, $entry, $lease, $versions[$key]);
            }
            $found[$key] = $entry->stored;
        }
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = \array_key_exists($key, $found) ? $found[$key] : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        $lease = $this->copies->lease() ?? $this->poll->lease();

        return $this->copies->find($key, $lease[0], $this) !== $this || $this->shared->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->write([$key => $value], $ttl, fn(): bool => $this->shared->set($key, $value, $ttl));
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $values === [] || $this->write($values, $ttl, fn(): bool => $this->shared->setMany($values, $ttl));
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->put($key, $value, static fn(AtomicStore $shared): bool => $shared->add($key, $value, $ttl));
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return $this->put($key, $value, static fn(AtomicStore $shared): bool => $shared->setIf($key, $isExpected, $value, $ttl));
    }

    /** Not of a copy: it may be older, and its token another than that of what is to be replaced. */
    public function getWithToken(string $key): ?array
    {
        return Tokens::read($this->shared, $key);
    }

    public function delete(string $key): bool
    {
        return $this->change($key, fn(): bool => $this->shared->delete($key), false);
    }

    public function deleteMany(array $keys): bool
    {
        if ($keys === []) {
            return true;
        }

        try {
            $areDeleted = $this->shared->deleteMany($keys);

            return $this->announce($keys) !== null && $areDeleted; // some may be gone though others could not be deleted
        } finally {
            array_map($this->copies->drop(...), $keys);
        }
    }

    public function clear(): bool
    {
        $this->copies->beginClearing();

        try {
            $isCleared = $this->shared->clear();
            $number = $this->pollSeconds === 0.0 ? 0 : $this->log->beginAgain();
        } finally {
            $this->copies->voidAll($number ?? null);
        }

        return $isCleared && $number !== null;
    }

    /** Copies in an array: store go, which would else grow from request to request. */
    public function reset(): void
    {
        $this->copies->reset();
        if ($this->shared instanceof ResettableStore) {
            $this->shared->reset();
        }
    }

    public function keys(): iterable
    {
        $keys = parent::keys();

        return (static function () use ($keys): \Generator {
            foreach ($keys as $key) {
                if (!ReservedKey::isOfChanges($key)) {
                    yield $key;
                }
            }
        })();
    }

    public function entries(array $keys): array
    {
        return $this->shared->entries($keys);
    }

    /**
     * What an operator wants to know of it, in a line.
     *
     * @param string|null $shared the name of the shared tier, if its class has none
     */
    public function explanation(?string $shared = null): string
    {
        $listener = $this->presence->listener();

        return \sprintf('copies of %s live %g s at most in %s; what other hosts change is seen %s', $shared ?? Capability::nameOf($this->shared), $this->localTtl, $this->localName, match (true) {
            $this->pollSeconds === 0.0 => 'when they end, as poll=0 was asked for',
            $listener !== null => \sprintf('at once, as larder listen runs (%s), and within %g s without it', $listener, $this->pollSeconds),
            default => \sprintf('within %g s', $this->pollSeconds),
        });
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $shared = Capability::of($this->shared, $interface);
        if ($interface === LockingStore::class) {
            $answer = $work($shared);
            if (\is_string($answer) && $this->pollSeconds > 0.0) {
                $this->poll->ask(); // who has taken a lock sees what its holder before has changed
            }

            return $answer;
        }

        return $this->change($key, static fn(): mixed => $work($shared), $refused);
    }

    /**
     * A placeholder is told to no other host: it comes where none has a copy that is of use, and none makes one of it.
     *
     * @param \Closure(AtomicStore): bool $work
     */
    private function put(string $key, mixed $value, \Closure $work): bool
    {
        if (!StoredValue::is($value) || StoredValue::of($value)?->isPlaceholder() !== true) {
            return $this->forward(AtomicStore::class, $key, $work, false);
        }

        try {
            return $work(Capability::of($this->shared, AtomicStore::class));
        } finally {
            $this->copies->drop($key);
        }
    }

    /**
     * Writes to the shared tier, tells it to the other hosts, and then leaves here what was written, or nothing.
     *
     * @param array<array-key, mixed> $values
     * @param \Closure(): bool $write
     */
    private function write(array $values, int|float $ttl, \Closure $write): bool
    {
        $keys = Key::of($values);
        $until = Ttl::until($ttl);
        $lease = $this->copies->lease() ?? $this->copies->state();
        $versions = array_map($this->copies->begin(...), $keys);
        $number = null;

        try {
            $isWritten = $write();
            $number = $this->announce($keys); // what was refused is gone, and that is a change too
        } finally {
            foreach ($keys as $i => $key) {
                if ($number !== null && ($isWritten ?? false) && $this->isSameServer()) {
                    $this->copies->put($key, new Entry($values[$key], $until), $lease, $versions[$i], $number);
                } else {
                    $this->copies->drop($key);
                }
            }
        }

        return $isWritten && $number !== null;
    }

    /**
     * The local copy goes whatever comes of the change: a swap was refused because the copy is old, perhaps.
     *
     * @template R
     * @param \Closure(): R $change
     * @param R $refused
     * @return R
     */
    private function change(string $key, \Closure $change, mixed $refused): mixed
    {
        try {
            $answer = $change();
            if ($answer !== $refused && $this->announce([$key]) === null) {
                return $refused;
            }

            return $answer;
        } finally {
            $this->copies->drop($key);
        }
    }

    /**
     * @param list<string> $keys
     * @return int|null null when the other hosts cannot be told
     */
    private function announce(array $keys): ?int
    {
        return $this->pollSeconds === 0.0 ? 0 : $this->log->announce(array_map(LocalCopies::part(...), $keys));
    }

    private function isSameServer(): bool
    {
        return $this->client === null || $this->client->server() === $this->server;
    }
}
