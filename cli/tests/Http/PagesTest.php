<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Http;

use Larder\Cli\Http\InterleavedBlock;
use Larder\Cli\Http\Page;
use Larder\Cli\Http\ReadPerRequestBlock;
use Larder\Cli\Http\Site;
use Larder\Cli\Http\WrkBlock;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Tests each measurement of pages on a real site, with pages whose results must differ. */
final class PagesTest extends TestCase
{
    private static TemporaryDirectory $directory;
    private static Site $site;

    public static function setUpBeforeClass(): void
    {
        self::$directory = new TemporaryDirectory();
        self::$site = Site::behindNginx(self::$directory->path, ['key' => 'value'], 4);
    }

    public static function tearDownAfterClass(): void
    {
        self::$site->stop();
        self::$directory->remove();
    }

    public function testWrkCountsGoodRequests(): void
    {
        $samples = self::measure($this->wrk(self::page('good', 'echo "Hello world";')));
        self::assertSame(['', 0], [$samples[0]->problem, $samples[0]->failures]);
        self::assertGreaterThan(0, $samples[0]->figure);
    }

    public function testWrkConnectsWhereManyFilesAreOpen(): void
    {
        $files = array_map(static fn() => fopen('/dev/null', 'r'), range(1, 20));
        $page = self::page('crowded', 'echo "Hello world";');
        $samples = self::measure($this->wrk($page, 1));
        self::assertSame(['', 0], [$samples[0]->problem, $samples[0]->failures]);
        array_map(fclose(...), array_filter($files));
    }

    public function testRequestsWithoutAnAnswerAreToldInWords(): void
    {
        $hangs = self::$directory->path . '/hangs';
        $page = self::page('hanging', \sprintf('if (file_exists("%s")) { sleep(3); } echo "Hello world";', $hangs));
        touch($hangs);
        $sample = self::measure(new WrkBlock(
            self::$site,
            $page,
            2,
            $page->subject('table', 'request', Unit::RequestsPerSecond, []),
            200,
            100,
            5,
        ))[0];
        unlink($hangs);
        self::assertNull($sample->figure);
        self::assertMatchesRegularExpression(
            '/^wrk did not end within 5 s: [1-9] requests were answered; [1-9] times an answer after more than 2 s$/',
            $sample->problem,
        );
    }

    #[TestWith(['wrong', 'echo "Hello World";', 'a wrong body of 11 bytes instead of 11'])]
    #[TestWith(['status', 'http_response_code(500); echo "Hello world";', 'status 500'])]
    public function testBadAnswerIsAFailureUnderWrk(string $name, string $code, string $problem): void
    {
        $sample = self::measure($this->wrk(self::page($name, $code)))[0];
        self::assertSame([null, 200, $problem], [$sample->figure, $sample->failures, $sample->problem]);
    }

    public function testOneBadAnswerInManyIsAFailureUnderWrk(): void
    {
        $counter = self::$directory->write('counter', '');
        // The lock makes sure that only one of several workers answers the hundredth request.
        $page = \sprintf(
            '$file = fopen("%s", "a"); flock($file, LOCK_EX); fwrite($file, "x"); $number = fstat($file)["size"]; '
                . 'fclose($file); echo $number === 100 ? "Hello?world" : "Hello world";',
            $counter,
        );
        $sample = self::measure($this->wrk(self::page('seldom', $page)))[0];
        self::assertSame([null, 'a wrong body of 11 bytes instead of 11'], [$sample->figure, $sample->problem]);
    }

    /** @param positive-int $concurrency */
    #[TestWith([1])]
    #[TestWith([50])]
    public function testSlowerPageComesOutSlowerWhenInterleaved(int $concurrency): void
    {
        $base = self::page('base', 'echo "Hello world";');
        $samples = self::measure($this->interleaved([
            $base,
            self::page('same', 'echo "Hello ", "world";'),
            self::page('slow', 'usleep(50_000); echo "Hello world";'),
        ], $concurrency));
        self::assertCount(5, $samples);
        foreach ($samples as $sample) {
            self::assertSame('', $sample->problem);
        }
        // The difference depends on how busy the machine is.
        self::assertLessThan($samples['share of base same']->figure, $samples['share of base slow']->figure);
        self::assertSame(
            ($concurrency === 1 ? 1 : 2 * $concurrency) * 5,
            $samples['request slow']->histogram?->count(),
        );
    }

    public function testBadAnswerIsAFailureWhenInterleaved(): void
    {
        $samples = self::measure($this->interleaved(
            [self::page('base', 'echo "Hello world";'), self::page('wrong', 'echo "Hello World";')],
            1,
        ));
        self::assertSame([null, 5], [$samples['request wrong']->figure, $samples['request wrong']->failures]);
        self::assertStringContainsString('Hello World', $samples['request wrong']->problem);
        self::assertNull($samples['share of base wrong']->figure);
        self::assertNotNull($samples['request base']->figure);
    }

    public function testReadIsTimedInThePageAndChecked(): void
    {
        $pages = [];
        foreach (['good' => 'value', 'lost' => ''] as $name => $read) {
            $page = self::page(
                $name . '-read',
                \sprintf(
                    '$start = hrtime(true); usleep(1_000); $value = "%s"; $time = hrtime(true) - $start; '
                        . 'usleep(20_000); echo $time, " ", md5($value);',
                    $read,
                ),
            );
            $pages[] = [$page, $page->subject('table', $name, Unit::Nanoseconds, []), md5('value')];
        }
        $samples = self::measure(new ReadPerRequestBlock('reads', self::$site, $pages));
        self::assertGreaterThan(1e6, $samples['good good-read']->figure);
        self::assertSame(
            [null, 'loses or changes the value'],
            [$samples['lost lost-read']->figure, $samples['lost lost-read']->problem],
        );
    }

    public function testMissingExtensionIsNamedWithItsPackage(): void
    {
        $this->expectExceptionObject(new ServerFailed(
            'the PHP of the web server has not loaded the extension nothing. To add it: apt-get install php-nothing',
        ));
        self::$site->add(new Page('nothing', null, 'nothing', null, '', ''));
    }

    private static function page(string $name, string $code): Page
    {
        $page = new Page($name, null, '', '11 b', 'Hello world', $code);
        self::$site->add($page);

        return $page;
    }

    /** @param positive-int $concurrency */
    private function wrk(Page $page, int $concurrency = 10): WrkBlock
    {
        return new WrkBlock(
            self::$site,
            $page,
            $concurrency,
            $page->subject('table', 'request', Unit::RequestsPerSecond, []),
            200,
            100,
        );
    }

    /**
     * @param non-empty-list<Page> $pages
     * @param positive-int $concurrency
     */
    private function interleaved(array $pages, int $concurrency): InterleavedBlock
    {
        return new InterleavedBlock('table', self::$site, $pages, $concurrency, 5);
    }

    /** @return array<array-key, Sample> by operation and store; a single sample by 0 */
    private static function measure(Block $block): array
    {
        $samples = [];
        $block->run(static function (Sample $sample) use (&$samples): void {
            $samples[$sample->subject->operation . ' ' . $sample->subject->store] = $sample;
        });

        return \count($samples) === 1 ? array_values($samples) : $samples;
    }
}
