<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

/** GUARANTEES.md is what dev/figures makes of the results that are kept beside it, and they leave no promise out. */
final class GuaranteesTest extends TestCase
{
    private const RESULTS = Repository::ROOT . '/docs/figures/guarantees.jsonl';
    private const PAGE = Repository::ROOT . '/GUARANTEES.md';

    private const STEP = '{"step":"storm","command":"make storm","long":true,"date":"2026-01-02 03:04 UTC","commit":"abc","php":"8.2",'
        . '"kernel":"Linux 6","processor":"x","cores":2,"seconds":9,"exit":0}';

    public function testPageMatchesTheProofs(): void
    {
        self::assertSame((string) file_get_contents(self::PAGE), $this->page((string) file_get_contents(self::RESULTS)));
    }

    public function testEditedFigureIsNoticed(): void
    {
        $page = (string) file_get_contents(self::PAGE);
        $edited = preg_replace('/0 failures/', '1 failures', $page, 1);

        self::assertNotSame($page, $edited);
        self::assertNotSame($edited, $this->page((string) file_get_contents(self::RESULTS)));
    }

    public function testEveryPromiseHasAPassingProofAndAFailingControl(): void
    {
        self::assertSame([], self::open((string) file_get_contents(self::PAGE)));
    }

    public function testEveryProofHasItsOwnControl(): void
    {
        self::assertSame(['versions.phpt'], self::withoutControl((string) file_get_contents(self::PAGE)), 'its tests bring theirs: extension/tests/requests/controls.phpt is one of them');
    }

    public function testUntriedProofIsNotMeasured(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":0,"seed":7}');

        self::assertStringContainsString(
            "**death.storm.** 3,000 deaths: 0 failures, so fewer than 0.10 % fail.\n\n- Run it: `make storm`\n- Measured: seed 7\n- Control: not measured\n",
            $page,
        );
        self::assertCount(19, self::open($page), 'one promise without a control, the others without anything');
        self::assertSame(['death.storm'], self::withoutControl($page));
    }

    public function testControlStandsBesideItsProof(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":0}' . "\n"
            . '{"proof":"death.storm","control":"no lock","tried":10,"failed":4}');

        self::assertStringContainsString('0 failures, so fewer than 0.10 % fail.', $page);
        self::assertStringContainsString("- Control: no lock: failed 4 of 10\n", $page);
        self::assertCount(18, self::open($page));
    }

    public function testFailedProofIsReported(): void
    {
        $page = $this->page(str_replace('"exit":0', '"exit":2', self::STEP) . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":2}');

        self::assertStringContainsString('3,000 deaths: **2 failures**.', $page);
        self::assertStringContainsString('- **Failed:** `make storm`', $page);
        self::assertCount(19, self::open($page));
    }

    public function testRepeatedProofIsOneRow(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"fork.all","tried":100,"unit":"forks","failed":0,"figures":{"a":"1"}}' . "\n"
            . '{"proof":"fork.all","tried":200,"unit":"forks","failed":0,"figures":{"a":"2","b":"3"}}');

        self::assertStringContainsString('300 forks: 0 failures, so fewer than 1.0 % fail.', $page);
        self::assertStringContainsString("- Measured: a: 1; 2; b: 3\n", $page);
    }

    public function testEachPromiseIsOneShortLine(): void
    {
        preg_match_all('/^\| (\d+) \| \[(.+?)\]\(#(.+?)\) \|/m', (string) file_get_contents(self::PAGE), $promises, \PREG_SET_ORDER);

        self::assertCount(19, $promises);
        foreach ($promises as [, , $promise, $anchor]) {
            self::assertLessThanOrEqual(260, \strlen($promise), $promise);
            self::assertStringContainsString("\n### " . str_replace('-', '. ', $anchor) . "\n", strtolower((string) file_get_contents(self::PAGE)));
        }
    }

    public function testNoLineIsTooLongToRead(): void
    {
        self::assertLessThanOrEqual(400, max(array_map(strlen(...), explode("\n", (string) file_get_contents(self::PAGE)))));
    }

    /** @return list<string> the promises that lack a proof that held, or a control */
    private static function open(string $page): array
    {
        $promises = \array_slice(explode("\n### ", $page), 1);
        self::assertCount(19, $promises);
        $open = [];
        foreach ($promises as $promise) {
            if (!str_contains($promise, ': 0 failures') || preg_match('/: failed [\d,]+ of /', $promise) !== 1 || str_contains($promise, ' failures**')) {
                $open[] = (string) strstr($promise, "\n", true);
            }
        }

        return $open;
    }

    /** @return list<string> the proofs without a control */
    private static function withoutControl(string $page): array
    {
        $proofs = \array_slice(array_map(strval(...), (array) preg_split('/^\*\*(?=[a-z]+\.)/m', $page)), 1);

        return array_map(
            static fn(string $proof): string => (string) strstr($proof, '.**', true),
            array_values(array_filter($proofs, static fn(string $proof): bool => str_contains($proof, "\n- Control: not measured"))),
        );
    }

    private function page(string $results): string
    {
        $folder = new TemporaryDirectory();
        $process = Repository::process([\PHP_BINARY, 'dev/guarantees-page.php', $folder->write('results.jsonl', $results), "$folder->path/page.md"]);

        self::assertSame(0, $process->run(), $process->getErrorOutput());

        return (string) file_get_contents("$folder->path/page.md");
    }
}
