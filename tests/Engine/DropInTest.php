<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmConnection;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * docs/examples/advanced-cache.php stores pages that every visitor of a blog may see, and no others. lab/figures/run
 * pages uses it in WordPress.
 */
final class DropInTest extends TestCase
{
    /** Stands in for WordPress: runs DO, and prints another page each time. */
    private const BLOG = '<?php const DB_NAME = "blog"; function is_ssl(): bool { return false; }'
        . 'require "%s/docs/examples/advanced-cache.php"; eval($_SERVER["DO"]); echo "page ", hrtime(true);';

    private TemporaryDirectory $folder;
    private PhpFpmServer $fpm;
    private PhpFpmConnection $connection;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
        $this->fpm = PhpFpmServer::start(
            $this->folder->add('fpm'),
            ['larder.path' => $this->folder->add('engine')],
            [Repository::ROOT . '/extension/modules/larder.so'],
        );
        $this->connection = $this->fpm->connect();
        $this->folder->write('blog.php', \sprintf(self::BLOG, Repository::ROOT));
    }

    protected function tearDown(): void
    {
        $this->connection->close();
        $this->fpm->stop();
        $this->folder->remove();
    }

    public function testPageIsKept(): void
    {
        $first = $this->ask([]);

        self::assertStringStartsWith('page ', $first);
        self::assertSame($first, $this->ask([]));
        $other = ['REQUEST_URI' => '/other', 'DO' => 'header("X-Powered-By: a blog");'];
        self::assertSame($this->ask($other), $this->ask($other));
        self::assertNotSame($first, $this->ask(['HTTP_HOST' => 'b.example']));
    }

    /** @return iterable<string, array{array<string, string>}> */
    public static function others(): iterable
    {
        yield 'a cookie' => [['HTTP_COOKIE' => 'wordpress_logged_in=me']];
        yield 'a login by a header' => [['HTTP_AUTHORIZATION' => 'Bearer me']];
        yield 'a login by the web server' => [['REMOTE_USER' => 'me']];
        yield 'a query' => [['QUERY_STRING' => 'preview=1']];
        yield 'a form' => [['REQUEST_METHOD' => 'POST']];
    }

    /** @param array<string, string> $parameters */
    #[DataProvider('others')]
    public function testRequestOfOneVisitorIsNeitherKeptNorAnsweredFromTheCache(array $parameters): void
    {
        $private = $this->ask($parameters);
        $public = $this->ask([]);

        self::assertNotSame($private, $public);
        self::assertSame($public, $this->ask([]));
        self::assertNotContains($this->ask($parameters), [$private, $public]);
    }

    /** @return iterable<string, array{string}> */
    public static function refusals(): iterable
    {
        yield 'an error' => ['http_response_code(404);'];
        yield 'a cookie' => ['setcookie("a", "b");'];
        yield 'a private page' => ['header("Cache-Control: private");'];
        yield 'a feed' => ['header("Content-Type: application/rss+xml");'];
        yield 'a constant of WordPress' => ['define("DONOTCACHEPAGE", true);'];
        yield 'an incomplete page' => ['echo "a part"; ob_flush();'];
        yield 'a part without the rest' => ['echo "a part"; ob_flush(); exit;'];
    }

    #[DataProvider('refusals')]
    public function testPageThatIsNotForEveryVisitorIsNotKept(string $do): void
    {
        $refused = $this->ask(['DO' => $do]);

        self::assertStringNotContainsString($this->ask([]), $refused);
    }

    /** @param array<string, string> $parameters */
    private function ask(array $parameters): string
    {
        $usual = ['DO' => '', 'HTTP_HOST' => 'a.example', 'REQUEST_URI' => '/'];
        $usual += PhpFpmServer::parameters("{$this->folder->path}/blog.php");
        $answer = $this->connection->request($parameters + $usual);
        self::assertSame('', $answer->errors);

        return $answer->body;
    }
}
