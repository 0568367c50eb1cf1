<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** The server stands still and receives more than the kernel buffers: sending has a timeout, too. */
#[Group('waiting')]
final class StoppedServerTest extends TestCase
{
    private const LARGE = 4 << 20;
    private const GENEROUS_SECONDS = 20.0;

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'memcached' => ['memcached://%s?timeout=0.2'];
        yield 'memcache' => ['memcache://%s?timeout=1'];
        yield 'phpredis' => ['redis://%s?timeout=0.2'];
        yield 'Predis' => ['redis://%s?timeout=0.2&client=predis'];
        yield 'MySQL' => ['mysql://%s?timeout=1&socket=%s'];
    }

    #[DataProvider('clients')]
    public function testSendTimeoutIsKeptAndTheServerRecovers(string $address): void
    {
        [$address, $process, $stop] = $this->server($address, Servers::directory('stopped' . bin2hex(random_bytes(4))));
        $cache = Cache::open($address);
        $value = random_bytes(self::LARGE);
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('before', $value)));
        Servers::freeze($process);
        $start = microtime(true);
        $isDone = $cache->set('large', $value);
        $seconds = microtime(true) - $start;
        posix_kill($process, \SIGCONT);
        self::assertFalse($isDone);
        self::assertLessThan(self::GENEROUS_SECONDS, $seconds);
        self::assertTrue(Servers::await(
            static fn(): bool => $cache->set('k', 'small') && $cache->get('k') === 'small',
        ));
        $stop();
    }

    /** @return array{string, int, \Closure(): void} its DSN, its process id, and a closure that stops it */
    private function server(string $address, string $directory): array
    {
        if (str_starts_with($address, 'mysql')) {
            $server = MariaDbServer::start($directory, ['--max-allowed-packet=16M']);
            $login = \sprintf('%s:%s@/%s', MariaDbServer::USER, $server->password, MariaDbServer::DATABASE);
            $raw = new \PDO(
                \sprintf('mysql:unix_socket=%s;dbname=%s', $server->socket, MariaDbServer::DATABASE),
                MariaDbServer::USER,
                $server->password,
            );
            $row = $raw->query('SELECT @@pid_file');
            self::assertNotFalse($row);
            $file = $row->fetchColumn();
            self::assertIsString($file);

            return [\sprintf($address, $login, $server->socket), (int) file_get_contents($file), $server->stop(...)];
        }
        if (str_starts_with($address, 'redis')) {
            $server = RedisServer::start($directory);
            $raw = new \Redis();
            $raw->connect($server->socket);
            $process = $raw->info()['process_id'];
        } else {
            $server = MemcachedServer::start($directory, ['-I', '8m']);
            $raw = new \Memcached();
            $raw->addServer($server->socket, 0);
            $stats = array_values($raw->getStats())[0];
            self::assertIsArray($stats);
            $process = $stats['pid'];
        }
        self::assertIsNumeric($process);

        return [\sprintf($address, $server->socket), (int) $process, $server->stop(...)];
    }
}
