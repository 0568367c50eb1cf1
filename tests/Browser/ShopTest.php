<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Browser;

use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** A visitor of pages/shop.php, with Chromium, nginx and PHP-FPM: two tabs put something into one basket at once. */
final class ShopTest extends TestCase
{
    private const ENGINE = ['session.save_handler' => 'larder'];

    private Browser $browser;
    private string $folder;
    private ?PhpFpmServer $fpm = null;
    private ?NginxServer $nginx = null;

    protected function setUp(): void
    {
        $this->browser = new Browser(); // without cookies
        $this->folder = Servers::directory('shop-' . bin2hex(random_bytes(4)));
        mkdir($this->folder . '/arrivals');
    }

    protected function tearDown(): void
    {
        $this->browser->close();
        $this->nginx?->stop();
        $this->fpm?->stop();
    }

    /**
     * @return iterable<string, array{array<string, string|int>, bool}> PHP's settings, and true if the library keeps
     *         the session in files
     */
    public static function handlers(): iterable
    {
        yield 'the engine' => [self::ENGINE, false];
        yield 'the library over files' => [[], true];
    }

    /** @param array<string, string|int> $ini */
    #[DataProvider('handlers')]
    public function testBasketOfTwoTabsIsKeptByARestart(array $ini, bool $inFiles): void
    {
        $this->open($ini, $inFiles);
        $tabs = $this->buyInTwoTabs();
        $expected = ['Ada', 'book', 'pen'];
        self::assertSame([$expected, $expected], $this->shown($tabs));

        $before = $this->fpm?->pid();
        $this->fpm?->stop();
        $this->fpm = $this->startFpm($ini, $inFiles);
        self::assertNotSame($before, $this->fpm->pid());
        self::assertSame([$expected, $expected], $this->shown($tabs));
    }

    /** phpredis does not lock by default. */
    public function testControlAnArticleIsLostWithoutALock(): void
    {
        $this->open(['session.save_handler' => 'redis', 'session.save_path' => 'unix://' . Servers::redis()->socket, 'redis.session.locking_enabled' => 0], false);
        foreach ($this->shown($this->buyInTwoTabs()) as $shown) {
            self::assertContains($shown, [['Ada', 'book'], ['Ada', 'pen']]);
        }
    }

    /** @param array<string, string|int> $ini */
    private function open(array $ini, bool $inFiles): void
    {
        $this->fpm = $this->startFpm($ini, $inFiles);
        $this->nginx = NginxServer::start($this->folder . '/nginx', __DIR__ . '/pages', $this->fpm->socket);
    }

    /** @param array<string, string|int> $ini */
    private function startFpm(array $ini, bool $inFiles): PhpFpmServer
    {
        return PhpFpmServer::start(
            $this->folder . '/fpm',
            [...$ini, 'session.use_strict_mode' => 1, 'larder.segment' => (string) \ini_get('larder.segment')],
            PhpProcess::engine(),
            [new PhpFpmPool(workers: 4, directives: [
                'env[ARRIVALS]' => $this->folder . '/arrivals',
                ...$inFiles ? ['env[STORE]' => "file://$this->folder/sessions"] : [],
                'request_terminate_timeout' => '20s', // in case the other tab never sends its request
            ])],
        );
    }

    /**
     * Logs in, opens a second tab, and buys a book in one and a pen in the other at the same time.
     *
     * @return array{string, string} the tabs
     */
    private function buyInTwoTabs(): array
    {
        $first = $this->browser->newTab();
        $this->visit();
        $this->browser->run('document.querySelector("input").value = "Ada"; document.querySelector("button").click();');
        $this->browser->waitFor('document.querySelector("#visitor")');
        $this->browser->run('new BroadcastChannel("shop").onmessage = () => document.querySelector("[value=book]").click();');

        $second = $this->browser->newTab();
        $this->visit();
        $this->browser->run('new BroadcastChannel("shop").postMessage("now"); document.querySelector("[value=pen]").click();');
        foreach ([$second, $first] as $tab) {
            $this->browser->goTo($tab);
            $this->browser->waitFor('document.querySelector("#basket li")');
        }
        self::assertFileExists($this->folder . '/arrivals/book');
        self::assertFileExists($this->folder . '/arrivals/pen');

        return [$first, $second];
    }

    /**
     * @param array{string, string} $tabs
     * @return list<mixed> for each tab, after a new visit: the user, and the basket in alphabetical order
     */
    private function shown(array $tabs): array
    {
        $shown = [];
        foreach ($tabs as $tab) {
            $this->browser->goTo($tab);
            $this->visit();
            $shown[] = $this->browser->run('const texts = (selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent); return [...texts("#visitor"), ...texts("#basket li").sort()];');
        }

        return $shown;
    }

    private function visit(): void
    {
        $this->browser->visit('http://127.0.0.1:' . $this->nginx?->port . '/shop.php');
    }
}
