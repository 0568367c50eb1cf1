<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Server;

use Larder\Cli\Http\HttpConnection;
use Larder\Cli\Http\HttpFailed;
use Larder\Cli\Server\ApacheServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class WebServersTest extends TestCase
{
    private const PAGE = '<?php if ($_GET === []) { http_response_code(503); '
        . '} echo PHP_SAPI, " ", ini_get("precision"), " ", $_SERVER["QUERY_STRING"];';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
        chmod($this->directory->path, 0o755); // Apache's workers may run as another user
        $this->directory->write('page.php', self::PAGE);
    }

    public function testNginxServesPagesOfFpmAndStops(): void
    {
        $fpm = PhpFpmServer::start($this->directory->path, ini: ['precision' => 9]);
        $server = NginxServer::start($this->directory->path . '/nginx', $this->directory->path, $fpm->socket);
        $answer = HttpConnection::open($server->port)->get('/page.php?a=1');
        self::assertSame([200, 'fpm-fcgi 9 a=1'], [$answer->status, $answer->body]);
        self::assertSame(503, HttpConnection::open($server->port)->get('/page.php')->status);
        self::assertMatchesRegularExpression('/^\d+\.\d+/', $server->version);
        $server->stop();
        $this->expectException(HttpFailed::class);
        HttpConnection::open($server->port);
    }

    public function testApacheServesPagesOfItsModuleAndStops(): void
    {
        $server = ApacheServer::start($this->directory->path . '/apache', $this->directory->path, ['precision' => 9]);
        $connection = HttpConnection::open($server->port);
        $answer = $connection->get('/page.php?a=1');
        self::assertSame([200, 'apache2handler 9 a=1'], [$answer->status, $answer->body]);
        self::assertSame(503, $connection->get('/page.php')->status);
        self::assertMatchesRegularExpression('/^\d+\.\d+/', $server->version);
        $server->stop();
        $this->expectException(HttpFailed::class);
        HttpConnection::open($server->port);
    }

    /** The kernel must end the servers: a process killed with SIGKILL runs no code of its own. */
    public function testWebServersStopWhenTheirStarterIsKilled(): void
    {
        $starter = new Process([\PHP_BINARY, __DIR__ . '/start-web.php', $this->directory->path], timeout: 300);
        $starter->start();
        $starter->waitUntil(static fn(string $type, string $output): bool => str_contains($output, 'ready'));
        $ports = array_map(intval(...), \array_slice(explode(' ', $starter->getOutput()), 0, 2));
        self::assertSame([true, true], array_map(self::isOpen(...), $ports));
        $starter->signal(\SIGKILL);
        for ($deadline = microtime(true) + 60; \in_array(true, array_map(self::isOpen(...), $ports), true); usleep(
            10_000,
        )) {
            self::assertLessThan($deadline, microtime(true), 'a server still answers after a minute');
        }
    }

    private static function isOpen(int $port): bool
    {
        try {
            HttpConnection::open($port)->close();
        } catch (HttpFailed) {
            return false;
        }

        return true;
    }
}
