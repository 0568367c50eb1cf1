<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Drivers;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Internal\Driver\Redis\Rights;
use Larder\Internal\Driver\Redis\ServerRole;
use Larder\Internal\Key\NamespaceName;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\ExpectationFailedException;
use PHPUnit\Framework\TestCase;

/**
 * The commands that an ACL user needs, from the list in docs/servers.md: they suffice, and each is needed for
 * something.
 */
#[Group('cluster')]
final class TopologyRightsTest extends TestCase
{
    private const SENTINEL_PASSWORD = 'of-sentinels';

    private RedisNodes $nodes;

    protected function tearDown(): void
    {
        $this->nodes->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    #[DataProvider('clients')]
    public function testDocumentedPermissionsSufficeInACluster(string $client): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('rights-cluster-' . $client), 2, 1);
        $servers = $this->nodes->ports();
        $dsn = \sprintf(
            'redis+cluster://narrow:word@%s?client=%s&namespace=narrow&on_failure=throw',
            $this->nodes->addresses(),
            $client,
        );
        $commands = self::ofPage([...self::ofRow('a server of a cluster'), '-MGET']);
        self::assertSame(
            array_keys(Rights::commands(ServerRole::ClusterMaster)),
            $commands,
            'those that the doctor looks for',
        );
        $this->checkEach($servers, $commands, $dsn, function (string $dsn) use ($servers): void {
            $this->useEverything($dsn);
            $this->useEverything($dsn . '&read=replica');
            // In the middle of a move: ASKING.
            $slot = HashSlot::of(NamespaceName::prefix('narrow') . '{moving}');
            [$from, $to] = $slot < 8_192 ? [$servers[0], $servers[1]] : [$servers[1], $servers[0]];
            $cache = Cache::open($dsn);
            $failure = null;

            try {
                $cache->setMany(['{moving}1' => 1, '{moving}2' => 2]);
                $this->nodes->migrate($slot, $from, $to, static function () use ($cache, &$failure): void {
                    try {
                        self::assertSame(
                            ['{moving}1' => 1, '{moving}2' => 2],
                            $cache->getMany(['{moving}1', '{moving}2']),
                        );
                    } catch (\Throwable $failure) {
                        // passed on when the move has ended
                    }
                });
            } finally {
                $this->nodes->migrate($slot, $to, $from);
            }
            if ($failure !== null) {
                throw $failure;
            }
        });
    }

    #[DataProvider('clients')]
    public function testDocumentedPermissionsSufficeWithSentinels(string $client): void
    {
        $this->nodes = RedisNodes::watched(
            Servers::directory('rights-sentinel-' . $client),
            1,
            1,
            null,
            self::SENTINEL_PASSWORD,
        );
        $file = Servers::directory('rights-secrets') . '/password';
        file_put_contents($file, 'word');
        $dsn = \sprintf(
            'redis+sentinel://narrow:word@%s/shop?client=%s&namespace=narrow&on_failure=throw&sentinel_user=narrow&sentinel_password_file=%s',
            $this->nodes->addresses($this->nodes->sentinels),
            $client,
            $file,
        );
        $work = function (string $dsn): void {
            $this->useEverything($dsn);
            $this->useEverything($dsn . '&read=replica');
        };
        $ofServers = self::ofPage(self::ofRow('a server that sentinels watch'));
        self::assertSame(
            array_keys(Rights::commands(ServerRole::Master)),
            $ofServers,
            'those that the doctor looks for',
        );
        $this->permit($this->nodes->sentinels, self::ofRow('a sentinel'));
        $this->checkEach($this->nodes->ports(), $ofServers, $dsn, $work);
        $this->permit($this->nodes->ports(), $ofServers);
        $this->checkEach($this->nodes->sentinels, self::ofRow('a sentinel'), $dsn, $work, isExamined: false);
    }

    /**
     * @param list<int> $ports ports of the servers on which the user has the rights
     * @param list<string> $commands
     * @param \Closure(string): void $work called with a DSN; it needs each of the rights
     * @param bool $isExamined true if the doctor reports each missing right
     */
    private function checkEach(
        array $ports,
        array $commands,
        string $dsn,
        \Closure $work,
        bool $isExamined = true,
    ): void {
        $this->permit($ports, $commands);
        $work($dsn);
        self::assertSame(0, $this->refusals($ports));
        $driver = Drivers::get(Drivers::parse($dsn)->scheme);
        foreach ($commands as $i => $command) {
            foreach ($ports as $port) {
                $this->nodes->ask($port, 'ACL', 'SETUSER', 'narrow', '-' . $command);
                $this->nodes->ask($port, 'CLIENT', 'KILL', 'USER', 'narrow');
            }
            if (
                $isExamined && $driver instanceof ExaminesServers && $command !== 'CLUSTER|SLOTS'
            ) { // without this right, no server is found
                $remarks = array_column($driver->examine(Drivers::parse($dsn)), 'what');
                self::assertStringContainsString("this user may not use $command", implode("\n", $remarks));
                self::assertGreaterThan(0, $this->refusals($ports));
            }

            try {
                $work(\sprintf('%s&timeout=1.%02d', $dsn, $i)); // a new timeout means new breakers
            } catch (StoreFailed|StoreUnavailable|ExpectationFailedException) {
                // some calls work without the right, some fail
            }
            self::assertGreaterThan(0, $this->refusals($ports), "nothing needs $command");
            $this->permit($ports, $commands);
        }
        $work($dsn);
        self::assertSame(0, $this->refusals($ports));
    }

    private function useEverything(string $dsn): void
    {
        foreach ($this->nodes->ports() as $port) {
            $this->nodes->ask($port, 'SCRIPT', 'FLUSH');
        }
        $log = new RecordingLogger();
        $cache = Cache::open($dsn, $log);
        $cache->reach();
        self::assertTrue($cache->clear());
        self::assertTrue(
            $cache->set('k', 1) && $cache->set('l', 1, 60) && $cache->setMany(['m' => 1], 60)
                && $cache->setMany(['n' => 1]),
        );
        for ($try = 0; $try < 100 && \count(array_filter(
            $cache->getMany(['k', 'l', 'm', 'n']),
            is_int(...),
        )) < 4; ++$try) {
            usleep(10_000); // a replica lags behind
        }
        self::assertSame(
            [1, ['l' => 1, 'm' => 1], true],
            [$cache->get('k'), $cache->getMany(['l', 'm']), $cache->has('n')],
        );
        self::assertTrue(
            $cache->add('o', 1) && $cache->replace('o', 2) && $cache->touch('o', 60) && $cache->touch('o', 0)
                && $cache->swap('o', 2, 3),
        );
        self::assertSame(
            [4, 1, 7],
            [$cache->increment('o'), $cache->increment('p', first: 0), $cache->increment('s', 7, ttl: 60)],
        );
        self::assertCount(7, [...$cache->keys()]);
        self::assertGreaterThan(microtime(true), $cache->expiry('l'));
        self::assertTrue($cache->lock('q', 10)?->release());
        $cache->remember('r', 60, static fn(): int => 1, tags: ['t']);
        self::assertTrue($cache->invalidateTags(['t']) && $cache->delete('k') && $cache->clear());
        self::assertSame([], $log->entries());
    }

    /**
     * @param list<int> $ports
     * @param list<string> $commands
     */
    private function permit(array $ports, array $commands): void
    {
        foreach ($ports as $port) {
            $this->nodes->ask(
                $port,
                'ACL',
                'SETUSER',
                'narrow',
                'reset',
                'on',
                '>word',
                '~larder-cache:*',
                ...array_map(static fn(string $name): string => '+' . strtolower($name), $commands),
            );
            $this->nodes->ask($port, 'ACL', 'LOG', 'RESET');
        }
    }

    /**
     * @param list<int> $ports
     * @return int number of refusals since the last call
     */
    private function refusals(array $ports): int
    {
        $refusals = 0;
        foreach ($ports as $port) {
            $refusals += \count((array) $this->nodes->ask($port, 'ACL', 'LOG'));
            $this->nodes->ask($port, 'ACL', 'LOG', 'RESET');
        }

        return $refusals;
    }

    /**
     * The list of docs/stores.md.
     *
     * @param list<string> $besides further commands, in docs/servers.md
     * @return list<string>
     */
    private static function ofPage(array $besides): array
    {
        self::assertSame(
            1,
            preg_match('/An ACL user needs the commands ([A-Z, ]+) and EVAL on/', self::page('stores'), $rights),
        );
        $without = array_map(
            static fn(string $name): string => ltrim($name, '-'),
            array_filter($besides, static fn(string $name): bool => $name[0] === '-'),
        );

        return array_values(array_diff(
            [...explode(', ', $rights[1]), 'EVAL', ...$besides],
            $without,
            array_map(static fn(string $name): string => '-' . $name, $without),
        ));
    }

    /** @return list<string> the commands in the row of the table in docs/servers.md */
    private static function ofRow(string $user): array
    {
        self::assertSame(1, preg_match(\sprintf('/^\| %s \| (.*) \|$/m', $user), self::page('servers'), $row));
        preg_match_all('/\b[A-Z]{3,}(?:\\\\\|[A-Z-]+)?/', (string) preg_replace('/; without .*/', '', $row[1]), $names);

        return array_map(static fn(string $name): string => str_replace('\|', '|', $name), $names[0]);
    }

    private static function page(string $name): string
    {
        return (string) file_get_contents(\dirname(__DIR__, 5) . "/docs/$name.md");
    }
}
