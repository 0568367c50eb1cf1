<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\LockingStore;
use Larder\Contract\NamesServer;
use Larder\Contract\ResettableStore;
use Larder\Contract\StaleReads;
use Larder\Contract\Store;
use Larder\Contract\Tokens;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\NotSupported;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Remember\Placeholder;
use Larder\Internal\Remember\StoredValue;
use Larder\Key\Key;
use Larder\Key\Ttl;

/**
 * A local tier before a shared one: copies, in the memory of this host, of a store that many hosts share.
 *
 * The values are those of the shared tier: it is written first, and its limits are those of the tier. If there is a
 * local copy, it answers a get. Processes of this host see the host's own writes at once, and those of other hosts
 * within $pollSeconds, since each host asks the shared tier for changes that often. While the shared tier does not
 * answer, copies live on; none lives longer than $localTtl seconds or its value's own time. All writers must use a
 * tier.
 */
final class TierStore extends TransparentDecorator implements ResettableStore, StaleReads
{
    /** The copies for the server that the client leads to; none before that server is known. */
    public LocalCopies $copies;
    /** The copies' guard; null with a client, whose server may change. */
    public readonly ?string $guard;
    private readonly Store&AtomicStore $local;
    private readonly Store&ExpiryAwareStore $shared;
    private readonly ChangeLog $log;
    private ChangePoll $poll;
    private ?string $server = null;

    /**
     * @param string $identity of the shared tier (TierDriver::identity()), because several may have copies in the same
     *         local tier; with a client, of the entries on a server
     * @param float $localTtl seconds, more than 0
     * @param float $pollSeconds seconds; 0.0 if there are no other writers to the shared tier, which is then never
     *         polled
     * @param NamesServer|null $client of the application, if the shared tier is over one. The names of copies contain
     *         its server, so that two servers never mix. Until that is known, the shared tier answers
     * @param string $name of the shared tier; empty for that of its class
     * @throws NotSupported if a tier has no atomic operations, or the shared one does not know expiry
     */
    public function __construct(
        Store $local,
        Store $shared,
        private readonly string $identity,
        public readonly float $localTtl,
        public readonly float $pollSeconds,
        private readonly ?NamesServer $client = null,
        private readonly string $name = '',
    ) {
        $this->local = Capability::of($local, AtomicStore::class);
        $this->shared = Capability::of($shared, ExpiryAwareStore::class);
        $this->log = new ChangeLog(Capability::of($shared, AtomicStore::class));
        $this->server = $client?->server();
        $this->makeCopies();
        $this->guard = $client === null ? $this->copies->guard : null;
    }

    public function decorated(): Store
    {
        return $this->shared;
    }

    public function hasStaleReads(): bool
    {
        return true;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if (!$this->hasCopies()) {
            return $this->shared->get($key, $default);
        }
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
        if (!$this->hasCopies()) {
            return $this->shared->getMany($keys, $default);
        }
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
        if (!$this->hasCopies()) {
            return $this->shared->has($key);
        }
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
        $set = static fn(AtomicStore $shared): bool => $shared->setIf($key, $isExpected, $value, $ttl);

        return $this->put($key, $value, $set);
    }

    /** Never the token of a copy, which may be older than the value to be replaced. */
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
        if (!$this->hasCopies()) {
            return $this->shared->deleteMany($keys);
        }

        try {
            $areDeleted = $this->shared->deleteMany($keys);

            return $this->announce($keys) !== null && $areDeleted; // some may be gone even if others are not
        } finally {
            array_map($this->copies->drop(...), $keys);
        }
    }

    public function clear(): bool
    {
        if (!$this->hasCopies()) {
            return $this->shared->clear();
        }
        $this->copies->beginClearing();

        try {
            $isCleared = $this->shared->clear();
            $number = $this->pollSeconds === 0.0 ? 0 : $this->log->beginAgain();
        } finally {
            $this->copies->voidAll($number ?? null);
        }

        return $isCleared && $number !== null;
    }

    /** Also drops copies in an array: store, which would grow from request to request. */
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

    /** The tier in a line, for an operator. */
    public function explanation(): string
    {
        if ($this->client !== null && !$this->isServerKnown()) {
            return 'copies are made once the client has been used: it tells then which server it leads to';
        }
        $listener = $this->copies->listener();
        $seen = match (true) {
            $this->pollSeconds === 0.0 => 'when they end, as poll=0 was asked for',
            $listener === null => "within $this->pollSeconds s",
            default => "at once, as larder listen runs ($listener), and within $this->pollSeconds s without it",
        };
        $shared = $this->name === '' ? Capability::nameOf($this->shared) : $this->name;
        $local = Capability::nameOf($this->local);

        return "copies of $shared live $this->localTtl s at most in $local; what other hosts change is seen $seen";
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $shared = Capability::of($this->shared, $interface);
        if ($interface === LockingStore::class) {
            $hasCopies = $this->hasCopies();
            $answer = $work($shared);
            if (\is_string($answer) && $this->pollSeconds > 0.0 && $hasCopies) {
                $this->poll->ask(); // the lock's new holder must see what the last one changed
            }

            return $answer;
        }

        return $this->change($key, static fn(): mixed => $work($shared), $refused);
    }

    /**
     * A placeholder is no change for other hosts: it comes where none has a usable copy, and none copies it.
     *
     * @param \Closure(AtomicStore): bool $work
     */
    private function put(string $key, mixed $value, \Closure $work): bool
    {
        if (!$this->hasCopies() || !StoredValue::is($value) || Placeholder::of($value) === null) {
            return $this->forward(AtomicStore::class, $key, $work, false);
        }

        try {
            return $work(Capability::of($this->shared, AtomicStore::class));
        } finally {
            $this->copies->drop($key);
        }
    }

    /**
     * Writes to the shared tier, announces that to the other hosts, and then leaves the written values here, or
     * nothing.
     *
     * @param array<array-key, mixed> $values
     * @param \Closure(): bool $write
     */
    private function write(array $values, int|float $ttl, \Closure $write): bool
    {
        if (!$this->hasCopies()) {
            return $write();
        }
        $keys = Key::of($values);
        $until = Ttl::until($ttl);
        $lease = $this->copies->lease() ?? $this->copies->state();
        $versions = array_map($this->copies->begin(...), $keys);
        $number = null;

        try {
            $isWritten = $write();
            $number = $this->announce($keys); // a refused value is gone, which is a change too
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
     * Drops the local copy whatever the result of the change is: a swap may have been refused because the copy is old.
     *
     * @template R
     * @param \Closure(): R $change
     * @param R $refused
     * @return R
     */
    private function change(string $key, \Closure $change, mixed $refused): mixed
    {
        if (!$this->hasCopies()) {
            return $change();
        }
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
     * @return int|null null if the other hosts cannot be reached
     */
    private function announce(array $keys): ?int
    {
        return $this->pollSeconds === 0.0 ? 0 : $this->log->announce(array_map(LocalCopies::part(...), $keys));
    }

    /** False if the client has been used, and its server still is not known: then only the shared tier answers. */
    private function hasCopies(): bool
    {
        if ($this->client === null) {
            return true;
        }
        if (!$this->isServerKnown()) {
            $this->shared->has(ReservedKey::changes()); // a use of the client
        }

        return $this->isServerKnown();
    }

    /** @phpstan-impure */
    private function isServerKnown(): bool
    {
        if (!$this->isSameServer()) {
            $this->server = $this->client?->server();
            $this->makeCopies();
        }

        return $this->server !== null;
    }

    /** The application may have another client, of another server, at any time. */
    private function isSameServer(): bool
    {
        return $this->client === null || $this->client->server() === $this->server;
    }

    private function makeCopies(): void
    {
        $identity = $this->client === null ? $this->identity : serialize([$this->identity, $this->server]);
        $this->copies = new LocalCopies($this->local, $identity, $this->localTtl);
        $this->poll = new ChangePoll($this->copies, $this->log, $this->pollSeconds);
    }
}
