<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** Behind a real server: what an application sends by PHP's own functions is not in its PSR-7 response. */
final class NativeSessionTest extends TestCase
{
    private const PAGE = <<<'PHP'
        <?php
        require %s;
        $factory = new Nyholm\Psr7\Factory\Psr17Factory();
        $request = (new Nyholm\Psr7Server\ServerRequestCreator($factory, $factory, $factory, $factory))->fromGlobals();
        $application = new Larder\Tests\Http\Application(static function (Psr\Http\Message\ServerRequestInterface $request): Nyholm\Psr7\Response {
            ini_set('session.save_path', __DIR__);
            match ($request->getUri()->getPath()) {
                '/session' => session_start(),
                '/closed' => session_start() && session_write_close(),
                '/cookie' => setcookie('sid', '1'),
                '/private' => header('Cache-Control: max-age=60, private'),
                '/languages' => header('Vary: Accept-Encoding, Accept-Language'),
                '/compressed' => header('Vary: Accept-Encoding'),
                default => null,
            };

            return new Nyholm\Psr7\Response(200, ['Cache-Control' => 'max-age=60'], 'a page of ' . hrtime(true));
        });
        $middleware = new Larder\Http\ResponseCache(Larder\Cache::open('file://' . __DIR__ . '/cache'), $factory, $factory, $factory, [$_SERVER['HTTP_HOST']]);
        echo $middleware->process($request, $application)->getBody();
        PHP;

    private string $folder;
    private ServerProcess $server;
    private int $port;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/larder-http-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir($this->folder);
        file_put_contents(
            "$this->folder/index.php",
            \sprintf(self::PAGE, var_export(\dirname(__DIR__, 3) . '/vendor/autoload.php', true)),
        );
        [$this->server, $this->port] = Address::onFreePort(fn(int $port): ServerProcess => ServerProcess::start(
            [\PHP_BINARY, '-S', "127.0.0.1:$port", "$this->folder/index.php"],
            "$this->folder/web.log",
            static fn(): bool => @file_get_contents("http://127.0.0.1:$port/ready") !== false,
        ));
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        (new Filesystem())->remove($this->folder);
    }

    #[TestWith(['session'])]
    #[TestWith(['closed'])]
    #[TestWith(['cookie'])]
    #[TestWith(['private'])]
    #[TestWith(['languages'])]
    public function testPageOfASessionIsNotKept(string $path): void
    {
        $this->page($path); // shows only whether the next response may be stored
        self::assertNotSame($this->page($path), $this->page($path));
    }

    #[TestWith(['page'])]
    #[TestWith(['compressed'])]
    public function testControlOtherPageIsKept(string $path): void
    {
        $this->page($path);
        self::assertSame($this->page($path), $this->page($path));
    }

    private function page(string $path): string
    {
        $page = file_get_contents("http://127.0.0.1:$this->port/$path");
        self::assertIsString($page);
        self::assertStringStartsWith('a page of ', $page);

        return $page;
    }
}
