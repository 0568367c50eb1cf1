<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Decorator\Tier\LocalCopies;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Testing\Fork;
use Larder\Testing\Timing;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Changes by other hosts are seen in time, and nothing else is invalidated. Each local tier here is a host. */
#[Group('waiting')]
final class InvalidationTest extends TestCase
{
    use Timing;

    private const POLL = 0.05;
    private const SETTLED = 110_000;

    private RecordingStore $shared;

    protected function setUp(): void
    {
        $this->shared = new RecordingStore();
    }

    /** @return iterable<string, array{string}> */
    public static function places(): iterable
    {
        yield 'Redis' => ['redis://' . Servers::redis()->socket . '?namespace=invalidation'];
        yield 'Predis' => ['redis://' . Servers::redis()->socket . '?namespace=invalidation&client=predis'];
        yield 'memcached' => ['memcached://' . Servers::memcached()->socket . '?namespace=invalidation'];
        yield 'files' => ['file://' . Servers::directory('tier-invalidation')];
        yield 'SQLite' => ['sqlite://' . Servers::directory('tier-sqlite') . '/cache'];
        yield 'MariaDB' => [\sprintf(
            'mysql://%s:%s@/%s?namespace=invalidation&socket=%s',
            MariaDbServer::USER,
            Servers::mariaDb()->password,
            MariaDbServer::DATABASE,
            Servers::mariaDb()->socket,
        )];
    }

    #[DataProvider('places')]
    public function testChangeIsSeenWithinThePoll(string $place): void
    {
        self::assertSame(
            'new, then nothing, then 3, then again, then nothing, then nothing',
            $this->story($place, self::POLL),
        );
    }

    /** The control: tiers that do not poll serve old copies. */
    #[DataProvider('places')]
    public function testChangeIsNotSeenWithoutPoll(string $place): void
    {
        self::assertSame('old, then old, then 1, then 1, then old, then 1', $this->story($place, 0.0));
    }

    private function story(string $place, float $poll): string
    {
        $address = \sprintf(
            'tier:(array:)(%s)?poll=%s',
            str_contains($place, 'namespace=') ? Servers::patiently($place) : $place,
            $poll,
        );
        [$here, $there] = [Cache::open($address), Cache::open($address)];
        $here->clear();
        $wait = static function (): void {
            usleep((int) (1e6 * self::POLL) + self::SETTLED);
        };
        $wait();
        $there->set('k', 'old');
        $there->set('n', 1);
        $wait();
        self::assertSame(['k' => 'old', 'n' => 1], $here->getMany(['k', 'n']));
        $wait();
        self::assertSame(['k' => 'old', 'n' => 1], $here->getMany(['k', 'n']));
        $seen = [];
        $there->set('k', 'new');
        $wait();
        $seen[] = $here->get('k', 'nothing');
        $there->delete('k');
        $wait();
        $seen[] = $here->get('k', 'nothing');
        $there->increment('n', 2);
        $wait();
        $seen[] = $here->get('n', 'nothing');
        $there->setMany(['k' => 'again', 'n' => 'again']);
        $wait();
        $seen[] = $here->get('n', 'nothing');
        $here->get('k');
        $there->pull('k');
        $wait();
        $seen[] = $here->get('k', 'nothing');
        $there->clear();
        $wait();
        $seen[] = $here->get('n', 'nothing');
        $here->clear();

        return implode(
            ', then ',
            array_map(static fn(mixed $value): string => \is_scalar($value) ? (string) $value : '?', $seen),
        );
    }

    public function testOnlyChangedKeysAreInvalidated(): void
    {
        [$here, $there] = [$this->host(), $this->host()];
        $there->setMany(['a' => 1, 'b' => 1, 'c' => 1]);
        $here->getMany(['a', 'b', 'c']);
        $there->set('b', 2);
        $this->waitForPoll();
        $this->shared->reads();
        self::assertSame(['a' => 1, 'b' => 2, 'c' => 1], $here->getMany(['a', 'b', 'c']));
        self::assertSame([['b']], $this->shared->reads());
    }

    public function testHostKeepsItsOwnWrites(): void
    {
        $here = $this->host();
        $here->set('k', 'mine');
        $this->waitForPoll();
        $this->shared->reads();
        self::assertSame('mine', $here->get('k'));
        self::assertSame([], $this->shared->reads());
    }

    /** Two hosts write one key, and announce it in the opposite order. */
    public function testLaterWriteWinsThoughReportedFirst(): void
    {
        [$here, $there] = [$this->host(), $this->host()];
        $this->shared->afterWrite = static fn(): bool => $there->set('k', 'theirs, set last');
        $here->set('k', 'mine');
        $this->waitForPoll();
        self::assertSame('theirs, set last', $here->get('k'));
    }

    /** @return iterable<string, array{\Closure(RecordingStore, TierStore): mixed}> */
    public static function losses(): iterable
    {
        yield 'more changes than the ring has slots' => [
            static function (RecordingStore $shared, TierStore $there): void {
                for ($i = 0; $i < 5000; ++$i) {
                    $there->delete('other');
                }
            },
        ];
        yield 'too many keys for a slot' => [
            static fn(RecordingStore $shared, TierStore $there): bool => $there->setMany(array_fill_keys(
                array_map(static fn(int $i): string => str_repeat('x', 200) . $i, range(1, 400)),
                1,
            )),
        ];
        yield 'the number is lost' => [
            static fn(RecordingStore $shared): bool => $shared->delete(ReservedKey::changes()),
        ];
        yield 'the number begins again' => [static function (RecordingStore $shared, TierStore $there): void {
            $shared->delete(ReservedKey::changes());
            $there->delete('other');
        }];
        yield 'a slot is lost' => [static function (RecordingStore $shared, TierStore $there): void {
            $there->delete('other');
            foreach ([...$shared->keys()] as $key) {
                if (str_starts_with($key, "\0larder-change:")) {
                    $shared->delete($key);
                }
            }
        }];
        foreach (['text' => 'text', 'the last number' => \PHP_INT_MAX] as $what => $number) {
            yield "another has written $what over the number" => [
                static function (RecordingStore $shared, TierStore $there) use ($number): void {
                    $shared->set(ReservedKey::changes(), $number);
                    self::assertTrue($there->set('other', 1));
                },
            ];
        }
        foreach (['nothing' => [], 'a number alone' => [0], 'numbers' => [0, [1]], 'arrays' => [0, [['k']]], 'text' => [
            0,
            'k',
        ]] as $what => $slot) {
            yield "another has written $what into a slot" => [
                static function (RecordingStore $shared, TierStore $there) use ($slot): void {
                    $there->delete('other');
                    $number = $shared->get(ReservedKey::changes());
                    self::assertIsInt($number);
                    $shared->set(
                        ReservedKey::change($number % 4096),
                        array_replace($slot, isset($slot[0]) ? [$number] : []),
                    );
                },
            ];
        }
        yield 'all is lost' => [static fn(RecordingStore $shared): bool => $shared->clear()];
    }

    #[DataProvider('losses')]
    public function testLostChangeLogInvalidatesEverything(\Closure $lose): void
    {
        [$here, $there] = [$this->host(), $this->host()];
        $there->set('k', 'old');
        self::assertSame('old', $here->get('k'));
        $lose($this->shared, $there);
        $this->shared->set('k', 'new');
        $this->waitForPoll();
        self::assertSame('new', $here->get('k'));
    }

    /** A local tier that loses entries, as full memory does. */
    public function testLocalTierThatLosesItsStateServesNothingOld(): void
    {
        foreach (['epoch', 'seen', '=', 'all'] as $lost) {
            $local = new ArrayStore();
            [$here, $there] = [$this->host($local), $this->host()];
            $there->set('k', 'old');
            self::assertSame('old', $here->get('k'));
            $there->set('k', 'new');
            foreach ([...$local->keys()] as $name) {
                if (str_ends_with($name, $lost) || $lost === 'all' && !str_ends_with($name, '=k')) {
                    $local->delete($name);
                }
            }
            $this->waitForPoll();
            self::assertSame('new', $here->get('k'), $lost);
        }
    }

    public function testHostPollsOnceForAllItsProcesses(): void
    {
        $local = new ArrayStore();
        $processes = [$this->host($local), $this->host($local), $this->host($local)];
        $this->shared->set('k', 1);
        $this->waitForPoll();
        $before = $this->shared->polls;
        $gets = 0;
        $start = microtime(true);
        // If the machine stands still, it takes longer until this many were read.
        do {
            $processes[$gets % 3]->get('k');
            $seconds = microtime(true) - $start;
            $polls = $this->shared->polls - $before;
            self::assertLessThan(60.0, $seconds, 'nobody asks');
        } while (++$gets <= 100 || $seconds < 0.5 || $polls < 2);
        self::assertLessThanOrEqual(1 + $seconds / self::POLL, $polls);
    }

    public function testLockHolderSeesEarlierChanges(): void
    {
        [$here, $there] = [$this->host(poll: 60.0), $this->host()];
        $there->set('k', 'old');
        $lock = (string) $there->acquire('lock', 10.0);
        $here->get('nothing');
        self::assertSame('old', $here->get('k'));
        $there->set('k', 'new');
        self::assertSame('old', $here->get('k'), 'not heard of yet');
        $there->release('lock', $lock);
        self::assertIsString($here->acquire('lock', 10.0));
        self::assertSame('new', $here->get('k'));
    }

    public function testPollOfAKilledProcessIsTakenOver(): void
    {
        $address = \sprintf(
            'tier:(larder:)(redis://%s?namespace=killed%s)?poll=1',
            Servers::redis()->socket,
            Servers::PATIENTLY,
        );
        $here = Cache::open($address);
        $elsewhere = Cache::open(str_replace('larder:', 'array:', $address));
        // Within the validity of such an announcement.
        self::within(1.01 + self::SETTLED / 1e6 + 1.0, static function () use ($here, $elsewhere): void {
            $here->clear();
            usleep(self::SETTLED);
            $here->set('k', 'old');
            self::assertSame('old', $here->get('k'));
            usleep(1_010_000);
            $elsewhere->set('k', 'new');
            // It announces its poll and dies.
            Fork::run(static function () use ($here): bool {
                $tier = $here->store();

                return $tier instanceof TierStore && $tier->copies->beginAsking(1.0);
            });
            self::assertSame('old', $here->get('k'), 'somebody asks already');
        });
        usleep(1_030_000);
        self::assertSame('new', $here->get('k'));
        $here->clear();
    }

    /** memcached shows a clear() up to 0.05 s late; values read until then must not be copied. */
    public function testClearIsNotUndoneByLateReaders(): void
    {
        $address = \sprintf(
            'tier:(larder:)(memcached://%s?namespace=late%s)?poll=0.02',
            Servers::memcached()->socket,
            Servers::PATIENTLY,
        );
        $here = Cache::open($address);
        $other = Cache::open($address);
        for ($try = 0; $try < 5; ++$try) {
            $here->set('k', 'old');
            $here->get('k');
            $other->get('k');
            $other->clear();
            for ($end = microtime(true) + 0.06; microtime(true) < $end;) {
                $here->get('k');
            }
            self::assertNull($here->get('k'));
            usleep(self::SETTLED);
        }
    }

    /** One process grants a lease, while another makes all copies invalid. */
    #[TestWith([false])]
    #[TestWith([true])]
    public function testLeaseOfVoidCopiesIsNotGranted(bool $isThereALease): void
    {
        $local = new RecordingStore();
        $copies = new LocalCopies($local, 'here', 60.0);
        $epoch = $copies->epoch();
        if ($isThereALease) {
            $copies->grant($epoch, 1, 60.0);
        }
        $local->beforeSwap = static fn(): int => $copies->voidAll(2);
        $copies->grant($epoch, 1, 60.0);
        self::assertNull($copies->lease());
        $copies->grant($epoch, 1, 60.0);
        self::assertNull($copies->lease(), 'later neither');
        $copies->grant($copies->epoch(), 2, 60.0);
        self::assertSame([$copies->epoch(), 2], $copies->lease(), 'the control');
    }

    private function host(?ArrayStore $local = null, float $poll = self::POLL): TierStore
    {
        $tier = new TierStore($local ?? new ArrayStore(), $this->shared, 'here', 60.0, $poll);
        $tier->get('nothing'); // reads the earlier changes
        usleep(self::SETTLED);
        $tier->get('nothing');

        return $tier;
    }

    private function waitForPoll(): void
    {
        usleep((int) (1e6 * self::POLL) + 10_000);
    }
}
