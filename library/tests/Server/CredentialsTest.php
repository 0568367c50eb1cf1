<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Logins in files and from callables, against a server that knows them. */
final class CredentialsTest extends TestCase
{
    use AssertsThrows;

    private static ?RedisServer $server = null;

    public static function tearDownAfterClass(): void
    {
        self::$server?->stop();
        self::$server = null;
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    #[DataProvider('clients')]
    public function testFilesAreReadAtEachConnecting(string $client): void
    {
        $folder = Servers::directory('secrets');
        file_put_contents("$folder/user", "shop\r\n");
        file_put_contents("$folder/password", "pzqxw one \n");
        self::user('>pzqxw one ');
        foreach (["shop@%s?client=$client", "%s?client=$client&user_file=$folder/user"] as $dsn) {
            Cache::open('redis://' . \sprintf($dsn, self::server()->socket) . "&password_file=$folder/password")
                ->reach();
        }
        $log = new RecordingLogger();
        $dsn = \sprintf(
            'redis://shop@%s?client=%s&password_file=%s/password&namespace=files',
            self::server()->socket,
            $client,
            $folder,
        );
        $cache = Cache::open($dsn, $log);
        self::assertTrue($cache->set('k', 1));
        self::user('resetpass', '>pzqxw two');
        self::admin()->rawcommand('CLIENT', 'KILL', 'USER', 'shop');
        file_put_contents("$folder/password", 'pzqxw two');
        self::assertContains($cache->get('k'), [1, null], 'it may notice now that it was disconnected');
        self::assertSame(1, $cache->get('k'));
        self::assertSame([], $log->entries());

        self::assertThrows(
            StoreUnavailable::class,
            Cache::open(str_replace('/password&', '/nothing&', $dsn))->reach(...),
            'redis: the option password_file names no file that this user can read',
        );
        file_put_contents("$folder/password", 'pzqxw three');
        $refused = self::assertThrows(
            StoreUnavailable::class,
            Cache::open($dsn)->reach(...),
            'the server refuses the user name or the password',
        );
        self::assertStringNotContainsString('pzqxw', (string) $refused);
    }

    /** As DsnSecretsTest requires for passwords in DSNs. */
    public function testDumpsHaveNoPassword(): void
    {
        $cache = Cache::open(\sprintf('redis://shop:pzqxw@%s', self::server()->socket));
        self::user('resetpass', '>pzqxw');
        $cache->reach();
        ob_start();
        var_dump($cache);
        self::assertStringNotContainsString('pzqxw', ob_get_clean() . print_r($cache, true));
    }

    #[DataProvider('clients')]
    public function testCallableIsAskedAtEachConnecting(string $client): void
    {
        self::user('resetpass', '>token 1', '>token 2');
        /** @var \ArrayObject<int, string> $asked */
        $asked = new \ArrayObject();
        $credentials = static function (Endpoint $endpoint) use ($asked): array {
            $asked[] = (string) $endpoint;

            return ['shop', 'token ' . \count($asked)];
        };
        $log = new RecordingLogger();
        $cache = Cache::open(
            \sprintf('redis://%s?client=%s&namespace=asked', self::server()->socket, $client),
            $log,
            $credentials,
        );
        self::assertCount(0, $asked, 'not before it connects');
        $cache->set('k', 1);
        self::assertSame(1, $cache->get('k'));
        self::assertSame([self::server()->socket], $asked->getArrayCopy());
        self::user('resetpass', '>token 2');
        self::admin()->rawcommand('CLIENT', 'KILL', 'USER', 'shop');
        $cache->get('k');
        self::assertSame(1, $cache->get('k'));
        self::assertSame([self::server()->socket, self::server()->socket], $asked->getArrayCopy());
        self::assertSame([], $log->entries());
        Cache::open(
            \sprintf('tier:(array:)(redis://shop@%s?client=%s)', self::server()->socket, $client),
            $log,
            static fn(): string => 'token 2',
        )->set('k', 1);
        self::assertSame([], $log->entries());
    }

    #[DataProvider('clients')]
    public function testRotatedPasswordTakesOverThePersistentConnection(string $client): void
    {
        self::user('resetpass', '>token 1', '>token 2');
        $connections = static fn(): int
            => substr_count(self::text(self::admin()->rawcommand('CLIENT', 'LIST')), ' user=shop ');
        $before = $connections();
        foreach (['token 1', 'token 2', 'token 1'] as $i => $token) {
            $cache = Cache::open(
                \sprintf(
                    'redis://shop@127.0.0.1:%d?client=%s&persistent=1&namespace=rotated',
                    self::server()->port,
                    $client,
                ),
                credentials: static fn(): string => $token,
            );
            self::assertTrue($cache->set('k', $i));
            unset($cache);
            self::assertSame($before + 1, $connections());
        }
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open(
                \sprintf('redis://shop:wrong@127.0.0.1:%d?client=%s&persistent=1', self::server()->port, $client),
            )->reach(...),
            'the server refuses the user name or the password',
        );
    }

    public function testCallableThatThrowsIsAnOutage(): void
    {
        $log = new RecordingLogger();
        $cache = Cache::open(
            'redis://' . self::server()->socket,
            $log,
            static fn(): string => throw new \LogicException('the token service says pzqxw'),
        );
        self::assertSame(['miss', 'miss'], [$cache->get('k', 'miss'), $cache->get('k', 'miss')]);
        self::assertStringContainsString(
            'the callable for the credentials of ' . self::server()->socket . ' threw LogicException',
            implode($log->entries()),
        );
        self::assertStringNotContainsString('pzqxw', implode($log->entries()));
        $unavailable = self::assertThrows(StoreUnavailable::class, $cache->reach(...));
        self::assertSame(
            'the token service says pzqxw',
            $unavailable->getPrevious()?->getMessage(),
            'the program may look at its own exception',
        );
    }

    public function testCallableMustReturnStrings(): void
    {
        $open = new \ReflectionMethod(Cache::class, 'open'); // type checkers would refuse such a callable
        foreach ([7, ['a user alone'], null] as $wrong) {
            $cache = $open->invoke(null, 'redis:///nowhere.sock', new RecordingLogger(), static fn(): mixed => $wrong);
            self::assertInstanceOf(Cache::class, $cache);
            self::assertThrows(
                \UnexpectedValueException::class,
                $cache->reach(...),
                'returns the password, or [user, password], as strings',
            );
        }
    }

    /** @return iterable<string, array{string, bool, string}> */
    public static function conflicts(): iterable
    {
        yield 'two passwords' => [
            'redis://:a@h?password_file=/b',
            false,
            'has a password and password_file: give one of them',
        ];
        yield 'two users' => ['redis://a@h?user_file=/b', false, 'has a user and user_file: give one of them'];
        yield 'a password and a callable' => ['redis://:a@h', true, 'has a login, and a callable was given for it too'];
        yield 'a file and a callable' => [
            'redis://h?password_file=/b',
            true,
            'has a login, and a callable was given for it too',
        ];
        yield 'a store that has no use for one' => [
            'array:',
            true,
            'This array: DSN opens no store that asks a callable for credentials',
        ];
        yield 'another server' => [
            'pgsql://me@h/db',
            true,
            'This pgsql: DSN opens no store that asks a callable for credentials',
        ];
    }

    #[DataProvider('conflicts')]
    public function testConflictIsRefused(string $dsn, bool $hasCallable, string $message): void
    {
        self::assertThrows(
            InvalidDsn::class,
            static fn(): Cache => Cache::open($dsn, credentials: $hasCallable ? static fn(): string => 'c' : null),
            $message,
        );
    }

    private static function server(): RedisServer
    {
        return self::$server ??= RedisServer::start(Servers::directory('credentials'));
    }

    private static function text(mixed $answer): string
    {
        return \is_string($answer) ? $answer : self::fail('no text');
    }

    private static function user(string ...$passwords): void
    {
        self::admin()->rawcommand('ACL', 'SETUSER', 'shop', 'on', '~*', '+@all', ...$passwords);
    }

    private static function admin(): \Redis
    {
        $admin = new \Redis();
        $admin->connect(self::server()->socket);

        return $admin;
    }
}
