<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Server;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class ServersTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
    }

    public function testMemcachedAnswersOnSocketAndPortAndStops(): void
    {
        $server = MemcachedServer::start($this->directory->path);
        $both = ['unix://' . $server->socket, 'tcp://127.0.0.1:' . $server->port];
        foreach ($both as $address) {
            self::assertStringStartsWith('VERSION ' . $server->version, self::ask($address, "version\r\n"));
        }
        $server->stop();
        self::assertSame(
            ['', ''],
            array_map(static fn(string $address): string => self::ask($address, "version\r\n"), $both),
        );
    }

    public function testRedisAnswersOnSocketAndPortAndStops(): void
    {
        $server = RedisServer::start($this->directory->path);
        $both = ['unix://' . $server->socket, 'tcp://127.0.0.1:' . $server->port];
        foreach ($both as $address) {
            self::assertStringContainsString(
                'redis_version:' . $server->version,
                self::ask($address, "INFO server\r\n"),
            );
            self::assertStringContainsString('unknown command', self::ask($address, "CONFIG GET dir\r\n"));
        }
        $server->stop();
        self::assertSame(
            ['', ''],
            array_map(static fn(string $address): string => self::ask($address, "PING\r\n"), $both),
        );
    }

    public function testMariaDbAcceptsItsUserOnSocketAndPortAndStops(): void
    {
        $server = MariaDbServer::start($this->directory->path);
        $both = ['unix_socket=' . $server->socket, \sprintf('host=127.0.0.1;port=%d', $server->port)];
        foreach ($both as $i => $address) {
            $database = new \PDO('mysql:dbname=larder;' . $address, MariaDbServer::USER, $server->password);
            $database->exec(\sprintf('CREATE TABLE t%d (a INT) ENGINE=%s', $i, ['MyISAM', 'MEMORY'][$i]));
            self::assertSame(1, $database->exec(\sprintf('INSERT INTO t%d VALUES (1)', $i)));
        }
        $server->stop();
        foreach ($both as $address) {
            try {
                new \PDO('mysql:dbname=larder;' . $address, MariaDbServer::USER, $server->password);
                self::fail('the server still answers at ' . $address);
            } catch (\PDOException) {
            }
        }
    }

    public function testMariaDbRefusesAMissingPassword(): void
    {
        $server = MariaDbServer::start($this->directory->path);
        foreach ([MariaDbServer::USER, 'root', ''] as $user) {
            try {
                new \PDO(\sprintf('mysql:host=127.0.0.1;port=%d', $server->port), $user, 'wrong');
                self::fail(\sprintf('the server let %s in', $user));
            } catch (\PDOException $refusal) {
                self::assertStringContainsString('Access denied', $refusal->getMessage());
            }
        }
    }

    public function testFpmServesAScriptInTheGivenPool(): void
    {
        $script = $this->directory->write(
            'page.php',
            '<?php header("X-Pool: " . ini_get_all(details: false)["user_agent"]); http_response_code(404); '
                . 'echo $_SERVER["QUERY_STRING"], ini_get("precision");',
        );
        // so that opcache shares the script, which would then answer ini_get() for both pools
        touch($script, time() - 60);
        $server = PhpFpmServer::start($this->directory->path, ini: ['precision' => 9], pools: [
            new PhpFpmPool('one', ini: ['user_agent' => 'one']),
            new PhpFpmPool('two', ini: ['user_agent' => 'two'], workers: 2),
        ]);
        $first = $server->request($script, 'a=1&b=');
        self::assertSame([404, 'one', 'a=1&b=9'], [$first->status, $first->headers['x-pool'] ?? null, $first->body]);
        self::assertSame('two', $server->request($script, pool: 'two')->headers['x-pool'] ?? null);
        $server->stop();
        self::assertFalse(Address::says($server->socket, '', ''));
    }

    public function testConnectionKeepsItsWorkerAndReportsItsEnd(): void
    {
        $script = $this->directory->write(
            'page.php',
            '<?php echo getmypid(), " ", str_repeat($_GET["x"], 100_000); error_log("said"); if ($_GET["x"] === "z") { '
                . 'posix_kill(getmypid(), 9); }',
        );
        $server = PhpFpmServer::start($this->directory->path, pools: [new PhpFpmPool(workers: 4)]);
        $connection = $server->connect();
        $first = $connection->request(PhpFpmServer::parameters($script, 'x=a'));
        $second = $connection->request(PhpFpmServer::parameters($script, 'x=b'));
        self::assertSame(str_replace('a', 'b', $first->body), $second->body);
        self::assertSame(100_000, substr_count($second->body, 'b'));
        self::assertStringContainsString('said', $second->errors);
        $this->expectException(ServerFailed::class);
        $connection->request(PhpFpmServer::parameters($script, 'x=z'));
    }

    public function testFpmServesTwoRequestsAtOnceFromTwoWorkers(): void
    {
        // Each request waits for the other: on a busy machine, the second may begin long after the first.
        $script = $this->directory->write(
            'page.php',
            '<?php touch(__DIR__ . "/asked-" . getmypid()); for ($end = time() + 20; count(glob(__DIR__ . '
                . '"/asked-*")) < 2 && time() < $end; usleep(1_000)); echo getmypid();',
        );
        $server = PhpFpmServer::start($this->directory->path, pools: [new PhpFpmPool(workers: 2)]);
        $requests = [$server->startRequest($script), $server->startRequest($script)];
        $workers = array_map(static fn(Process $request): string => $server->response($request)->body, $requests);
        self::assertCount(2, array_unique($workers));
    }

    public function testReloadReplacesTheWorkersOnly(): void
    {
        $script = $this->directory->write('page.php', '<?php echo getmypid();');
        $server = PhpFpmServer::start($this->directory->path);
        [$master, $worker] = [$server->pid(), $server->request($script)->body];
        $server->reload();
        self::assertNotSame($worker, $server->request($script)->body);
        self::assertSame($master, $server->pid());
    }

    public function testMissingProgramIsReportedWithItsPackage(): void
    {
        $this->expectExceptionObject(new ServerFailed(
            'no-such-server is not installed. To add it: apt-get install no-such-package',
        ));
        Executable::find(['no-such-server', 'nor-this-one'], 'no-such-package');
    }

    public function testProgramOutsideOfPathIsFoundByItsPath(): void
    {
        $program = $this->directory->write('server', "#!/bin/sh\necho 1.2.3\n");
        $text = $this->directory->write('text', '');
        chmod($program, 0o755);
        self::assertSame(
            '1.2.3',
            Executable::find(["$program-2", $text, $this->directory->path, $program, 'sh'], 'no-such-package')
                ->version(),
        );
    }

    public function testServerThatExitsAtOnceIsReportedWithItsLog(): void
    {
        $this->expectException(ServerFailed::class);
        $this->expectExceptionMessageMatches('/memcached exited with status \d+: .*no-such-option/');
        MemcachedServer::start($this->directory->path, ['--no-such-option']);
    }

    public function testServerWithoutAnAnswerIsStopped(): void
    {
        $this->expectExceptionMessage('sleep did not answer within 0.2 s: it printed nothing');
        ServerProcess::start(
            ['sleep', '100'],
            $this->directory->path . '/log',
            static fn(): bool => false,
            seconds: 0.2,
        );
    }

    public function testKilledServerLeavesNoChild(): void
    {
        $server = ServerProcess::start(
            ['sh', '-c', 'trap "" TERM; sleep 100 & echo $! > child; while :; do sleep 0.1; done'],
            $this->directory->path . '/log',
            fn(): bool => $this->child() > 0,
        );
        $child = $this->child();
        self::assertTrue(posix_kill($child, 0));
        $server->stop(0.2);
        self::assertNull($server->pid());
        // read the file, because PHP would cache the answer of is_file()
        self::waitFor(static fn(): bool => \in_array(
            preg_replace('/^.*\) (.).*$/s', '$1', (string) @file_get_contents("/proc/$child/stat")),
            ['', 'Z'],
            true,
        ));
    }

    public function testTooLongSocketPathIsRefused(): void
    {
        $this->expectExceptionMessage('a socket path has at most 107 bytes');
        RedisServer::start($this->directory->path . '/' . str_repeat('d', 100));
    }

    public function testPortTakenMeanwhileIsReplacedByAnother(): void
    {
        $asked = [];
        [$process, $port] = Address::onFreePort(function (int $port) use (&$asked): ServerProcess {
            $asked[] = $port;
            if (\count($asked) === 1) {
                throw new ServerFailed('bind: Address already in use');
            }

            return ServerProcess::start(['sleep', '100'], $this->directory->path . '/log', static fn(): bool => true);
        });
        self::assertSame($asked[1] ?? null, $port);
        $process->stop();
    }

    public function testForkOfTheStarterDoesNotStopTheServer(): void
    {
        $starter = new Process([\PHP_BINARY, __DIR__ . '/fork.php', $this->directory->path], timeout: 300);
        self::assertSame(0, $starter->run(), $starter->getErrorOutput());
    }

    /** The kernel must end the servers: a process killed with SIGKILL runs no code of its own. */
    public function testServersStopWhenTheirStarterIsKilled(): void
    {
        $starter = new Process([\PHP_BINARY, __DIR__ . '/start-all.php', $this->directory->path], timeout: 300);
        $starter->start();
        $starter->waitUntil(static fn(string $type, string $output): bool => str_contains($output, 'ready'));
        $sockets = glob($this->directory->path . '/*.sock');
        self::assertIsArray($sockets);
        self::assertCount(4, $sockets);
        self::assertSame(4, self::answering($sockets));
        $starter->signal(\SIGKILL);
        self::waitFor(static fn(): bool => self::answering($sockets) === 0);
    }

    /** @return int the process id written there; 0 if there is none yet */
    private function child(): int
    {
        return (int) @file_get_contents($this->directory->path . '/child');
    }

    /**
     * @param list<string> $sockets
     * @phpstan-impure
     */
    private static function answering(array $sockets): int
    {
        return \count(array_filter($sockets, static fn(string $socket): bool => Address::says($socket, '', '')));
    }

    /** @param \Closure(): bool $condition */
    private static function waitFor(\Closure $condition): void
    {
        for ($deadline = microtime(true) + 60; !$condition(); usleep(10_000)) {
            self::assertLessThan($deadline, microtime(true), 'still not so after a minute');
        }
        self::assertTrue($condition());
    }

    private static function ask(string $address, string $question): string
    {
        $stream = @stream_socket_client($address, timeout: 1.0);
        if ($stream === false) {
            return '';
        }
        fwrite($stream, $question);
        $answer = fread($stream, 8192);
        fclose($stream);

        return (string) $answer;
    }
}
