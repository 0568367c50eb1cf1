<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * A server refuses a login: no exception shows the password, even if it is dumped or logged with the arguments of all
 * calls.
 */
final class FailedLoginTest extends TestCase
{
    private const PASSWORD = 'zqxwvkjy';

    private static ?TemporaryDirectory $memory = null;
    private static ?RedisServer $redis = null;
    private static ?MemcachedServer $memcached = null;
    private static ?PostgreSqlServer $postgreSql = null;

    public static function tearDownAfterClass(): void
    {
        self::$redis?->stop();
        self::$memcached?->stop();
        self::$postgreSql?->stop();
        self::$redis = self::$memcached = self::$postgreSql = self::$memory = null;
    }

    /**
     * @return iterable<string, array{string, string}> code that opens a cache, with placeholders for servers; and the
     *         expected message
     */
    public static function logins(): iterable
    {
        foreach (['', '&persistent=1'] as $options) {
            yield "mysql $options" => [
                "Larder\\Cache::open('mysql://larder:' . PASSWORD . '@MYSQL/larder?on_failure=throw$options')",
                'Access denied',
            ];
            yield "mysql, MEMORY $options" => [
                "Larder\\Cache::open('mysql://larder:' . PASSWORD . "
                    . "'@MYSQL/larder?engine=memory&on_failure=throw$options')",
                'Access denied',
            ];
            yield "pgsql $options" => [
                "Larder\\Cache::open('pgsql://larder:' . PASSWORD . '@PGSQL/larder?on_failure=throw$options')",
                'authentication failed',
            ];
            yield "memcached $options" => [
                "Larder\\Cache::open('memcached://shop:' . PASSWORD . '@MEMCACHED?on_failure=throw$options')",
                'refuses the user name or the password',
            ];
            yield "memcache $options" => [
                "Larder\\Cache::open('memcache://shop:' . PASSWORD . '@MEMCACHED?on_failure=throw$options')",
                'refuses the user name or the password',
            ];
            foreach (['phpredis', 'predis'] as $client) {
                yield "redis, $client $options" => [
                    "Larder\\Cache::open('redis://shop:' . PASSWORD . "
                        . "'@REDIS?client=$client&on_failure=throw$options')",
                    'refuses the user name or the password',
                ];
                yield "redis, $client, callable $options" => [
                    "Larder\\Cache::open('redis://REDIS?client=$client&on_failure=throw$options', credentials: "
                        . "(fn(string \$password) => fn() => ['shop', \$password])(PASSWORD))",
                    'refuses the user name or the password',
                ];
            }
            yield "cluster $options" => [
                "Larder\\Cache::open('redis+cluster://:' . PASSWORD . '@CLUSTER?on_failure=throw$options')",
                'password',
            ];
            yield "sentinel $options" => [
                "Larder\\Cache::open('redis+sentinel://:' . PASSWORD . '@SENTINELS/shop?on_failure=throw$options')",
                'password',
            ];
            yield "tier $options" => [
                "Larder\\Cache::open('tier:(array:)(mysql://larder:' . PASSWORD . "
                    . "'@MYSQL/larder?on_failure=throw$options)')",
                'Access denied',
            ];
        }
        yield 'over PDO' => [
            '(fn(string $password) => Larder\\Cache::over(fn(): '
                . "PDO => new PDO('mysql:host=MYSQL_HOST;port=MYSQL_PORT;dbname=larder', 'larder', \$password), "
                . "'on_failure=throw'))(PASSWORD)",
            'Access denied',
        ];
        yield 'over Redis' => [
            '(fn(string $password) => Larder\\Cache::over(function () use ($password): Redis { $r = new Redis(); '
                . "\$r->connect('REDIS_HOST', (int) 'REDIS_PORT'); try { if (\$r->auth(['shop', \$password])) { "
                . "return \$r; } } catch (RedisException) {} throw new RuntimeException('not logged in'); "
                . "}, 'on_failure=throw'))(PASSWORD)",
            'not logged in',
        ];
    }

    #[DataProvider('logins')]
    public function testNoDumpShowsThePassword(string $open, string $refusal): void
    {
        $dump = $this->dump(strtr($open, self::servers()));
        self::assertMatchesRegularExpression("/$refusal/", $dump);
        self::assertStringNotContainsString(self::PASSWORD, $dump);
    }

    public function testControlShowsIt(): void
    {
        self::assertStringContainsString(
            self::PASSWORD,
            $this->dump('(fn(string $password) => throw new RuntimeException("control"))(PASSWORD)'),
        );
        self::assertStringContainsString(
            self::PASSWORD,
            $this->dump(
                '(fn(Closure $login) => $login())((fn(string $password) => fn() '
                    . '=> $password !== "" && throw new RuntimeException("control"))(PASSWORD))',
            ),
        );
    }

    /** Output of a program that dumps the exceptions that it catches, and its log entries. */
    private function dump(string $open): string
    {
        return PhpProcess::run(\sprintf(<<<'PHP'
            ini_set('zend.exception_ignore_args', '0');
            ini_set('zend.exception_string_param_max_len', '1000');
            const PASSWORD = '%s';
            function show(Throwable $caught): void {
                for (; $caught !== null; $caught = $caught->getPrevious()) {
                    echo $caught, "\n";
                    var_dump($caught, $caught->getTrace());
                    print_r($caught->getTrace());
                    echo json_encode($caught->getTrace(), JSON_PARTIAL_OUTPUT_ON_ERROR);
                }
            }
            set_error_handler(static fn(): bool => true); // of clients that warn too
            foreach (['reach', 'get', 'set', 'add', 'lock'] as $call) {
                try {
                    $cache = %s;
                    match ($call) {
                        'reach' => $cache->reach(),
                        'get' => $cache->get('k'),
                        'set' => $cache->set('k', 1),
                        'add' => $cache->add('k', 1),
                        'lock' => $cache->lock('k', 1),
                    };
                } catch (Throwable $caught) {
                    show($caught);
                }
            }
            PHP, self::PASSWORD, $open));
    }

    /** @return array<string, string> */
    private static function servers(): array
    {
        if (self::$memcached === null) {
            $file = Servers::directory('failed-login') . '/users';
            file_put_contents($file, "shop:another\n");
            self::$memcached = MemcachedServer::start(\dirname($file), ['-Y', $file]);
        }
        self::$redis ??= RedisServer::start(Servers::directory('failed-login-redis'));
        self::$memory ??= new TemporaryDirectory('/dev/shm');
        self::$postgreSql ??= PostgreSqlServer::start(self::$memory->path);

        return [
            'MYSQL_HOST' => '127.0.0.1',
            'MYSQL_PORT' => (string) Servers::mariaDb()->port,
            'MYSQL' => '127.0.0.1:' . Servers::mariaDb()->port,
            'PGSQL' => '127.0.0.1:' . self::$postgreSql->port,
            'MEMCACHED' => '127.0.0.1:' . self::$memcached->port,
            'REDIS_HOST' => '127.0.0.1',
            'REDIS_PORT' => (string) self::$redis->port,
            'REDIS' => '127.0.0.1:' . self::$redis->port,
            'CLUSTER' => Servers::redisCluster()->addresses(),
            'SENTINELS' => Servers::watchedRedis()->addresses(Servers::watchedRedis()->sentinels),
        ];
    }
}
