<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Contract\Capability;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\CacheException;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Testing\Timing;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Tests the tiers of one host: what is read, written and copied, and for how long. */
#[Group('waiting')]
final class TierStoreTest extends TestCase
{
    use AssertsThrows;
    use Timing;

    private RecordingStore $shared;
    private TierStore $tier;

    protected function setUp(): void
    {
        $this->shared = new RecordingStore();
        $this->tier = new TierStore(new ArrayStore(), $this->shared, 'here', 60.0, 60.0);
        $this->tier->get('first'); // reads the earlier changes
        usleep(110_000); // copies are made only after this time
        $this->shared->reads();
    }

    public function testSecondReadIsServedLocally(): void
    {
        foreach (['value' => ['x'], 'null' => null, 'false' => false, '7' => 'seven'] as $key => $value) {
            $this->shared->set((string) $key, $value);
            $this->shared->reads();
            for ($i = 0; $i < 3; ++$i) {
                self::assertSame($value, $this->tier->get((string) $key, 'default'));
                self::assertTrue($this->tier->has((string) $key));
            }
            self::assertSame([[(string) $key]], $this->shared->reads());
        }
    }

    /** Like in a worker that serves many requests with different values. */
    public function testArrayCopiesEndWithTheRequest(): void
    {
        $cache = new Cache($this->tier);
        $large = str_repeat('x', 10_000);
        $used = [];
        for ($request = 0; $request < 100; ++$request) {
            for ($i = 0; $i < 20; ++$i) {
                $this->tier->set('k ' . $request . $i, $large . $i);
                $this->shared->delete('k ' . $request . $i);
            }
            $this->shared->set('k', [$request, $large]);
            self::assertTrue($cache->get('k') === [$request, $large]);
            $this->shared->delete('k');
            $this->shared->reads();
            self::assertTrue($cache->get('k') === [$request, $large], 'there was a copy, and at once');
            self::assertSame([], $this->shared->reads());
            $cache->reset();
            $used[] = memory_get_usage();
        }
        self::assertLessThan(
            6_000_000,
            $used[99] - $used[9],
            '18 MB were copied; what is left is the changes in the shared tier',
        );
        $this->shared->set('k', 'last');
        self::assertSame('last', $cache->get('k'));
    }

    public function testChangesAreSeenAfterReset(): void
    {
        $array = new ArrayStore();
        [$one, $other] = [
            new TierStore(new ArrayStore(), $array, 'here', 60.0, 0.001),
            new TierStore(new ArrayStore(), $array, 'there', 60.0, 0.001),
        ];
        foreach (['a', 'b', 'c'] as $value) {
            $other->set('k', $value);
            usleep(2000);
            self::assertSame($value, $one->get('k'));
            $other->set('k', $value . ' later');
            $one->copies->reset();
            usleep(2000);
            self::assertSame($value . ' later', $one->get('k'));
        }
    }

    public function testPlaceholderIsNotAChange(): void
    {
        $shared = new ArrayStore();
        $tier = new TierStore(new ArrayStore(), $shared, 'here', 60.0, 60.0);
        $tier->get('first');
        $before = $shared->get(ReservedKey::changes());
        self::assertIsInt($before);
        $during = null;
        (new Cache($tier))->remember('k', 60, static function () use ($shared, &$during): string {
            $during = $shared->get(ReservedKey::changes());
            self::assertTrue($shared->has('k'));

            return 'made';
        });
        self::assertSame([$before, $before + 1], [$during, $shared->get(ReservedKey::changes())]);
        self::assertSame('made', (new Cache($tier))->get('k'));
    }

    public function testMissesAreNotCached(): void
    {
        self::assertSame('default', $this->tier->get('k', 'default'));
        $this->shared->set('k', 'there now');
        self::assertSame('there now', $this->tier->get('k', 'default'));
    }

    public function testGetManyFetchesOnlyMissingCopies(): void
    {
        $this->shared->setMany(['a' => 1, 'b' => null, '7' => 'seven']);
        $this->tier->get('a');
        $this->shared->reads();
        self::assertSame(
            ['7' => 'seven', 'x' => '-', 'a' => 1, 'b' => null],
            $this->tier->getMany(['7', 'x', 'a', 'b', '7'], '-'),
        );
        self::assertSame([['7', 'x', 'b']], $this->shared->reads());
        self::assertSame(['b' => null, '7' => 'seven'], $this->tier->getMany(['b', '7']));
        self::assertSame([], $this->shared->reads());
    }

    public function testOwnWriteIsReadBack(): void
    {
        self::assertTrue($this->tier->set('k', 'new'));
        self::assertTrue($this->tier->setMany(['l' => 1, '7' => 2]));
        self::assertSame(['k' => 'new', 'l' => 1, '7' => 2], $this->tier->getMany(['k', 'l', '7']));
        self::assertSame([], $this->shared->reads());
        self::assertSame(
            ['k' => 'new', 'l' => 1, '7' => 2],
            $this->shared->getMany(['k', 'l', '7']),
            'and stands in the shared tier',
        );
    }

    public function testCopyExpiresWithItsValue(): void
    {
        self::within(0.2, function (): void {
            array_map($this->tier->delete(...), ['read', 'written', 'touched']);
            $this->shared->set('read', 1, 0.2);
            $this->tier->get('read');
            $this->tier->set('written', 1, 0.2);
            $this->tier->set('touched', 1);
            $this->tier->touch('touched', 0.2);
            $this->tier->get('touched');
            self::assertSame(
                ['read' => 1, 'written' => 1, 'touched' => 1],
                $this->tier->getMany(['read', 'written', 'touched']),
            );
        });
        usleep(210_000);
        self::assertSame(
            ['read' => '-', 'written' => '-', 'touched' => '-'],
            $this->tier->getMany(['read', 'written', 'touched'], '-'),
        );
    }

    /** Also the control: a value changes without the tier, and only the copies' own lifetime ends the old one. */
    public function testCopyLifetimeIsLimited(): void
    {
        $tier = $this->tier;
        self::within(0.3, function () use (&$tier): void {
            $tier = new TierStore(new ArrayStore(), $this->shared, 'here', 0.2, 60.0);
            $tier->get('k');
            usleep(110_000);
            $this->shared->set('k', 'old');
            self::assertSame('old', $tier->get('k'));
            $this->shared->set('k', 'new');
            self::assertSame('old', $tier->get('k'), 'a copy was made');
        });
        usleep(210_000);
        self::assertSame('new', $tier->get('k'));
    }

    /** A value is read, then changed, and only then is the copy of the old value written. */
    #[DataProvider('changes')]
    public function testCopyOfAChangedValueIsDropped(\Closure $change): void
    {
        $local = new ArrayStore();
        $tier = new TierStore($local, $this->shared, 'here', 60.0, 60.0);
        $sameHost = new TierStore($local, $this->shared, 'here', 60.0, 60.0);
        $tier->get('k');
        usleep(110_000);
        $this->shared->set('k', 1);
        $this->shared->afterRead = static fn(): mixed => $change($sameHost);
        self::assertSame(1, $tier->get('k'), 'it began before the change');
        self::assertSame($this->shared->get('k', '-'), $tier->get('k', '-'));
        $this->shared->afterRead = static fn(): mixed => $change($sameHost);
        $tier->getMany(['k', 'l']);
        self::assertSame($this->shared->get('k', '-'), $tier->get('k', '-'));
    }

    /** The copy exists between its creation and the check whether the value has changed. */
    public function testDeletedValueIsNotServedWhileACopyOfItIsMade(): void
    {
        $local = new RecordingStore();
        $tier = new TierStore($local, $this->shared, 'here', 60.0, 60.0);
        $sameHost = new TierStore($local, $this->shared, 'here', 60.0, 60.0);
        $tier->get('k');
        usleep(110_000);
        $this->shared->set('k', 'old');
        $served = 'nobody has asked';
        $this->shared->afterRead = static function () use ($local, $sameHost, &$served): void {
            self::assertTrue($sameHost->delete('k'));
            $local->afterWrite = static function () use ($sameHost, &$served): void {
                $served = $sameHost->get('k', 'nothing');
            };
        };
        self::assertSame('old', $tier->get('k'), 'it began before the change');
        self::assertSame('nothing', $served);
        self::assertSame('nothing', $tier->get('k', 'nothing'));
    }

    /** @return iterable<string, array{\Closure(TierStore): mixed}> */
    public static function changes(): iterable
    {
        yield 'set' => [static fn(TierStore $tier): bool => $tier->set('k', 'new')];
        yield 'setMany' => [static fn(TierStore $tier): bool => $tier->setMany(['k' => 'new'])];
        yield 'delete' => [static fn(TierStore $tier): bool => $tier->delete('k')];
        yield 'increment' => [static fn(TierStore $tier): mixed => $tier->increment('k')];
        yield 'swap' => [static fn(TierStore $tier): bool => $tier->swap('k', 1, 2)];
        yield 'replace' => [static fn(TierStore $tier): bool => $tier->replace('k', 'new')];
        yield 'clear' => [static fn(TierStore $tier): bool => $tier->clear()];
    }

    /** The process is killed just after the shared tier was cleared. The control has no such process. */
    #[TestWith([true])]
    #[TestWith([false])]
    public function testNoCopyOutlivesAKilledClear(bool $clears): void
    {
        $tier = new TierStore(new EngineStore(), $this->shared, uniqid('killed', true), 60.0, 0.0);
        $this->shared->setMany(['copied before' => 'old', 'copied after' => 'old']);
        self::assertSame('old', $tier->get('copied before'));
        if ($clears) {
            $this->shared->afterClear = static fn(): bool => posix_kill(posix_getpid(), \SIGKILL);
            self::assertThrows(\RuntimeException::class, static fn(): mixed => Fork::run($tier->clear(...)), 'died');
            $this->shared->afterClear = null;
        }
        self::assertSame('old', $tier->get('copied after'), 'the shared tier of this process is as it was');
        usleep(110_000); // after this time, others make copies again
        self::assertSame('old', $tier->get('copied after'));
        $this->shared->clear();
        $left = $clears ? 'nothing' : 'old';
        self::assertSame(
            ['copied before' => $left, 'copied after' => $left],
            $tier->getMany(['copied before', 'copied after'], 'nothing'),
        );
        self::assertSame(
            [$left, $left],
            [$tier->get('copied before', 'nothing'), $tier->get('copied after', 'nothing')],
        );
    }

    /** One call reads a copy in the engine together with its lease. */
    public function testCopyInTheEngineIsOneCall(): void
    {
        $tier = new TierStore(new EngineStore(), $this->shared, uniqid('one', true), 60.0, 60.0);
        $cache = new Cache($tier);
        $cache->get('first');
        usleep(110_000);
        $this->shared->reads();
        $values = [
            'text' => 'value', 'list' => [1, [2]], 'false' => false, '7' => 'seven', 'object' => new \ArrayObject([1]),
        ];
        foreach ($values as $key => $value) {
            $cache->set((string) $key, $value);
            self::assertEquals($value, $cache->get((string) $key));
            [$before, $copy, $after] = [
                larder_info(false)['hits'],
                $cache->get((string) $key),
                larder_info(false)['hits'],
            ];
            self::assertEquals($value, $copy);
            self::assertSame([1, []], [self::difference($after, $before), $this->shared->reads()]);
        }
        $cache->set('null', null);
        self::assertSame([null, []], [$cache->get('null', 'default'), $this->shared->reads()]);
        $long = str_repeat('k', 300);
        $cache->set($long, 'hashed');
        self::assertSame(['hashed', []], [$cache->get($long), $this->shared->reads()]);
        $tier->copies->voidAll(null);
        self::assertSame(['value', [['text']]], [$cache->get('text'), $this->shared->reads()], 'the control');
    }

    private static function difference(mixed $after, mixed $before): mixed
    {
        return \is_int($after) && \is_int($before) ? $after - $before : null;
    }

    /** The control: two stores, one in front of the other, and nothing else. */
    public function testCopyOfAChangedValueStaysWithoutTagVersions(): void
    {
        $local = new ArrayStore();
        $this->shared->set('k', 'old');
        $this->shared->afterRead = function () use ($local): void {
            $this->shared->set('k', 'new');
            $local->set('k', 'new');
        };
        foreach ($this->shared->entries(['k']) as $key => $entry) {
            $local->set((string) $key, $entry->stored);
        }
        self::assertSame('old', $local->get('k'));
    }

    public function testRefusedWriteIsNotKeptLocally(): void
    {
        $server = RedisServer::start(Servers::directory('tier-refuses'), ['--proto-max-bulk-len', '1mb']);
        $cache = Cache::open(\sprintf('tier:(array:)(redis://%s)', Servers::patiently($server->socket)));
        $cache->get('k');
        usleep(110_000);
        self::assertTrue($cache->set('k', 'old'));
        self::assertFalse($cache->set('k', random_bytes(2 << 20)));
        self::assertSame('gone', $cache->get('k', 'gone'));
        self::assertTrue($cache->setMany(['k' => 'old', 'l' => 'old', 'stays' => 'old']));
        $server->stop();
        self::assertFalse($cache->set('k', 'new'));
        self::assertFalse($cache->setMany(['l' => 'new']));
        self::assertFalse($cache->delete('m'));
        self::assertFalse($cache->increment('n'));
        self::assertFalse($cache->clear() && $cache->has('stays'));
        self::assertSame(['k' => '-', 'l' => '-'], $cache->getMany(['k', 'l'], '-'));
    }

    public function testCopiesServeDuringAnOutage(): void
    {
        $directory = Servers::directory('tier-away');
        foreach (['', '?on_failure=throw'] as $options) {
            $cache = Cache::open('array:');
            // Within the copy's lifetime, even if the machine stands still for a while.
            self::within(4.0, static function () use ($directory, $options, &$cache): void {
                $server = RedisServer::start($directory);
                $cache = Cache::open(
                    \sprintf('tier:(array:)(redis://%s%s)?poll=0.05&local_ttl=4', $server->socket, $options),
                );
                $cache->reach(); // ends the outage of the round before
                $cache->get('k');
                usleep(110_000);
                $cache->set('k', 'value');
                $server->stop();
                usleep(60_000);

                try {
                    self::assertSame('value', $cache->get('k'));
                } catch (\Exception $failure) { // with on_failure=throw, when the server is down
                    self::fail($failure->getMessage());
                }
            });
            usleep(4_000_000);
            self::assertFalse(self::has($cache, 'k'));
        }
    }

    public function testRefusedSwapRefreshesTheCopy(): void
    {
        $this->tier->set('n', 1);
        $this->shared->set('n', 5); // by another host, and not announced here yet
        self::assertSame(1, $this->tier->get('n'));
        self::assertFalse($this->tier->swap('n', 1, 2));
        self::assertSame(5, $this->tier->get('n'), 'or it would be tried again and again');
    }

    /** The copy here is older than the value to be replaced. */
    public function testTokenIsThatOfTheSharedTier(): void
    {
        $cache = new Cache($this->tier);
        $cache->set('k', 'old');
        $this->shared->set('k', 'new'); // by another host, and not announced here yet
        self::assertSame('old', $cache->get('k'), 'the control');
        self::assertSame('new', $cache->getWithToken('k', null, $token));
        self::assertIsString($token);
        self::assertTrue($cache->setIfUnchanged('k', $token, 'newer'));
        self::assertSame(['k' => 'newer'], $cache->getMany(['k']));
        self::assertSame('newer', $this->shared->get('k'));
        self::assertFalse($cache->setIfUnchanged('k', $token, 'newest'));
    }

    public function testTwoSharedTiersOverOneLocalTierAreSeparate(): void
    {
        $local = new ArrayStore();
        $one = new TierStore($local, new RecordingStore(), 'one', 60.0, 60.0);
        $two = new TierStore($local, new RecordingStore(), 'two', 60.0, 60.0);
        $one->set('k', 1);
        $two->set('k', 2);
        self::assertSame([1, 2, null], [$one->get('k'), $two->get('k'), $local->get('k')]);
        $two->clear();
        self::assertSame([1, null], [$one->get('k'), $two->get('k')]);
    }

    public function testCapabilitiesAreThoseOfTheSharedTier(): void
    {
        self::assertTrue((new Cache($this->tier))->can(Capability::Keys));
        $cache = Cache::open(\sprintf('tier:(array:)(memcached://%s)', Servers::memcached()->socket));
        self::assertFalse($cache->can(Capability::Keys));
        self::assertTrue($cache->can(Capability::Lock));
        $this->expectException(NotSupported::class);
        $this->expectExceptionMessageMatches('/^The store .*MemcachedStore cannot list its keys/');
        $cache->keys();
    }

    public function testSeveralServersMayBeTheSharedTier(): void
    {
        $other = RedisServer::start(Servers::directory('tier-several'));
        $address = \sprintf(
            'tier:(array:)(redis://127.0.0.1:%d,127.0.0.1:%d?namespace=several%s)?poll=0.02',
            Servers::redis()->port,
            $other->port,
            Servers::PATIENTLY,
        );
        [$here, $there] = [Cache::open($address), Cache::open($address)];
        $values = [];
        for ($i = 0; $i < 20; ++$i) {
            $values["k$i"] = $i;
        }
        self::assertTrue($here->setMany($values));
        self::assertSame($values, $there->getMany(array_keys($values)));
        self::assertTrue($here->setMany(array_map(static fn(int $i): int => $i + 100, $values)));
        usleep(100_000);
        self::assertSame(array_map(static fn(int $i): int => $i + 100, $values), $there->getMany(array_keys($values)));
        $here->clear();
        $other->stop();
    }

    public function testExplanationStatesMaximumAge(): void
    {
        $explained = Cache::open(\sprintf(
            'tier:(array:)(tier:(array:)(file://%s)?poll=0)?local_ttl=5&poll=0.5',
            Servers::directory('tier-explained'),
        ))->explain();
        self::assertSame(
            'tier: chosen, the DSN names it: copies of file live 5 s at most in array; '
                . 'what other hosts change is seen within 0.5 s',
            (string) $explained[0],
        );
    }

    /** @return iterable<string, array{string, string}> */
    public static function mistakes(): iterable
    {
        yield 'one tier' => ['tier:(larder:)', 'does not name two others in parentheses'];
        yield 'three' => ['tier:(array:)(array:)(array:)', 'does not name two others in parentheses'];
        yield 'a parenthesis too few' => ['tier:(array:)(file:///x', 'does not name two others in parentheses'];
        yield 'a parenthesis too many' => ['tier:(array:)(file:///x))', 'does not name two others in parentheses'];
        yield 'what is in them' => ['tier:(aray:)(file:///x)', 'The scheme of the DSN is not known'];
        yield 'an option of theirs' => ['tier:(array:)(redis://h?pol=1)', 'This redis: DSN has an unknown option'];
        yield 'an option' => [
            'tier:(array:)(array:)?ttl=1',
            'This tier: DSN has an unknown option. Known: local_ttl, poll',
        ];
        foreach ([
            'tier:(larder:)(array:)',
            'tier:(larder:)(apcu:)',
            'tier:(file:///dev/shm/larder-example)(apcu:)',
            'tier:(apcu:)(array:)',
            'tier:(larder:)(auto:)',
            'tier:(larder:)(tier:(array:)(array:))',
            'tier:(redis://127.0.0.1)(file:///dev/shm/larder-example)',
        ] as $dsn) {
            yield "copies that more processes share, $dsn" => [
                $dsn,
                'names a local tier that more processes share than the shared one',
            ];
        }
        yield 'no number' => [
            'tier:(array:)(array:)?poll=often',
            'has a value for the option poll that is not a number',
        ];
        yield 'a time that is none' => [
            'tier:(array:)(array:)?local_ttl=0',
            'has a value for the option local_ttl that is not a number from',
        ];
        yield 'a local tier that keeps nothing' => [
            'tier:(none:)(array:)',
            'NullStore cannot change a value in one step',
        ];
        yield 'a shared tier that keeps nothing' => [
            'tier:(array:)(none:)',
            'NullStore cannot tell when a value expires',
        ];
    }

    #[DataProvider('mistakes')]
    public function testInvalidTierDsnIsNamed(string $address, string $message): void
    {
        $this->expectException(InvalidDsn::class);
        $this->expectExceptionMessage($message);
        Cache::open($address);
    }

    private static function has(Cache $cache, string $key): bool
    {
        try {
            return $cache->has($key);
        } catch (CacheException) {
            return false;
        }
    }
}
