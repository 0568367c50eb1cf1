<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Cache;
use Larder\Cli\Server\Address;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Server\ServerProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * A request dies in the middle of an answer, because it runs out of memory. The next request of the process gets the
 * same persistent connection, with the rest of that answer in it.
 */
#[Group('waiting')]
final class DiedRequestTest extends TestCase
{
    private const SERVED = 'value of b, value of c, is there';

    /** @return iterable<string, array{string}> clients whose processes survive such a request */
    public static function clients(): iterable
    {
        yield 'Predis' => ['redis://%s?timeout=30&client=predis&persistent=1'];
        yield 'memcached' => ['memcached://%s?timeout=30&persistent=1'];
    }

    #[DataProvider('clients')]
    public function testNextRequestGetsItsOwnReplies(string $address): void
    {
        $directory = Servers::directory('died' . bin2hex(random_bytes(4)));
        $server = str_starts_with($address, 'redis')
            ? RedisServer::start($directory)
            : MemcachedServer::start($directory, ['-I', '40m', '-m', '100']);
        $address = \sprintf($address, $server->socket);
        $cache = Cache::open($address);
        self::assertTrue($cache->setMany(['b' => 'value of b', 'c' => 'value of c']));
        self::assertTrue($cache->set('large', random_bytes(20 << 20)));
        unset($cache);
        file_put_contents("$directory/index.php", \sprintf(
            '<?php require %s; $cache = Larder\Cache::open(%s);
            if ($_SERVER["REQUEST_URI"] === "/large") { ini_set("memory_limit", "18M"); $cache->get("large"); }
            echo $cache->get("b"), ", ", $cache->get("c"), ", ", $cache->has("b") ? "is there" : "is not there";',
            var_export(\dirname(__DIR__, 4) . '/vendor/autoload.php', true),
            var_export($address, true),
        ));
        [$web, $port] = Address::onFreePort(static fn(int $port): ServerProcess => ServerProcess::start(
            [\PHP_BINARY, '-d', 'display_errors=0', '-S', '127.0.0.1:' . $port, '-t', $directory],
            $directory . '/web.log',
            static fn(): bool => @file_get_contents("http://127.0.0.1:$port/") === self::SERVED,
        ));
        foreach (['large', '', 'large', 'large', '', '', ''] as $path) {
            $said = file_get_contents(
                "http://127.0.0.1:$port/$path",
                false,
                stream_context_create(['http' => ['ignore_errors' => true]]),
            );
            self::assertSame($path === '' ? self::SERVED : '', $said);
        }
        $web->stop();
        $server->stop();
    }
}
