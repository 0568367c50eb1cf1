<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Browser;

use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** Visits pages/news.php, behind the response cache, with Chromium, nginx and PHP-FPM. */
final class NewsTest extends TestCase
{
    private Browser $ada;
    private Browser $bob;
    private PhpFpmServer $fpm;
    private NginxServer $nginx;

    protected function setUp(): void
    {
        $folder = Servers::directory('news-' . bin2hex(random_bytes(4)));
        $this->fpm = PhpFpmServer::start("$folder/fpm", pools: [new PhpFpmPool(workers: 4, directives: ['env[STORE]' => "file://$folder/pages"])]);
        $this->nginx = NginxServer::start("$folder/nginx", __DIR__ . '/pages', $this->fpm->socket);
        $this->ada = new Browser();
        $this->bob = new Browser();
    }

    protected function tearDown(): void
    {
        $this->bob->close();
        $this->ada->close();
        $this->nginx->stop();
        $this->fpm->stop();
    }

    public function testVisitorsShareThePageUntilOneLogsIn(): void
    {
        [$visitor, $browser] = $this->seen($this->ada);
        self::assertSame('', $visitor);
        self::assertStringContainsString('Chrome', $browser, 'the first page is made for her alone, and not kept');

        $kept = $this->seen($this->ada);
        self::assertSame(['', ''], [$kept[0], $kept[1]], 'this one is made for everybody');
        self::assertSame([$kept, $kept, $kept], [$this->seen($this->ada), $this->seen($this->bob), $this->seen($this->bob)]);
        self::assertStringStartsWith('Larder; hit', $this->cacheStatus($this->bob));
        // By the standard, the headers count as 300 bytes; the body was not sent again.
        self::assertSame([300, true], $this->bob->run('const [page] = performance.getEntriesByType("navigation"); return [page.transferSize, page.encodedBodySize > 0];'), 'his browser had it');

        $this->ada->run('document.querySelector("input").value = "Ada"; document.querySelector("button").click();');
        $this->ada->waitFor('document.querySelector("#visitor")?.textContent === "Ada"');
        [$visitor, $browser] = $this->seen($this->ada);
        self::assertSame('Ada', $visitor);
        self::assertStringContainsString('Chrome', $browser);

        $bobs = [$this->seen($this->bob), $this->seen($this->bob), $this->seen($this->bob)];
        self::assertSame(['', '', ''], array_column($bobs, 0), 'Ada is nobody else');
        self::assertNotSame($kept, $bobs[2], 'what she has changed made the page a miss');
        self::assertSame($bobs[1], $bobs[2]);

        $this->ada->run('document.cookie = "visitor=; max-age=0";');
        self::assertSame($bobs[2], $this->seen($this->ada), 'logged out, she sees what he sees');
    }

    /** @return array{string, string, string} the greeted user, the browser that the page was built for, and the time */
    private function seen(Browser $browser): array
    {
        $browser->visit("http://127.0.0.1:{$this->nginx->port}/news.php");
        $texts = $browser->run('return ["visitor", "browser", "made"].map((id) => document.getElementById(id).textContent);');
        self::assertIsArray($texts);

        return array_map(static fn(mixed $text): string => \is_string($text) ? $text : '', [$texts[0] ?? '', $texts[1] ?? '', $texts[2] ?? '']);
    }

    private function cacheStatus(Browser $browser): string
    {
        $status = $browser->run('return (async () => (await fetch("news.php", {cache: "no-store"})).headers.get("Cache-Status"))();');

        return \is_string($status) ? $status : '';
    }
}
