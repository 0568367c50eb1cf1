<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

/** GUARANTEES.md is the output of lab/figures/run for the stored results, which cover every guarantee. */
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
        $edited = preg_replace('/\| 0 \(/', '| 1 (', $page, 1);

        self::assertNotSame($page, $edited);
        self::assertNotSame($edited, $this->page((string) file_get_contents(self::RESULTS)));
    }

    public function testEveryPromiseHasAPassingProofAndAFailingControl(): void
    {
        self::assertSame([], self::open((string) file_get_contents(self::PAGE)));
    }

    public function testEveryProofHasItsOwnControl(): void
    {
        self::assertStringContainsString("\nWithout a control of their own: versions.phpt.\n", (string) file_get_contents(self::PAGE), 'its tests bring theirs: extension/tests/requests/controls.phpt is one of them');
        foreach ((array) file(self::RESULTS) as $json) {
            $line = (array) json_decode((string) $json, true);
            self::assertTrue(!isset($line['control']) || $line['failed'] > 0, (string) $json);
        }
    }

    public function testUntriedProofIsNotMeasured(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":0,"seed":7}');

        self::assertStringContainsString('| 3,000 deaths | 0 (< 0.10 %) | not measured |', $page);
        self::assertStringContainsString("\nWithout a control of their own: death.storm.\n", $page);
        self::assertCount(19, self::open($page), 'one promise without a control, the others without anything');
    }

    public function testControlStandsBesideItsProof(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":0}' . "\n"
            . '{"proof":"death.storm","control":"core with a line changed: no lock (it hangs)","tried":10,"failed":4}');

        self::assertStringContainsString('| 3,000 deaths | 0 (< 0.10 %) | no lock |', $page);
        self::assertStringContainsString("\nWithout a control of their own: none.\n", $page);
        self::assertCount(18, self::open($page));
    }

    public function testFailedProofIsReported(): void
    {
        $page = $this->page(str_replace('"exit":0', '"exit":2', self::STEP) . "\n" . '{"proof":"death.storm","tried":3000,"unit":"deaths","failed":2}' . "\n"
            . '{"proof":"death.values","tried":5,"unit":"values","failed":1}');

        self::assertStringContainsString('| 3,000 deaths; 1 more proof | **3** | not measured |', $page);
        self::assertStringContainsString('**Failed:** `make storm`', $page);
        self::assertCount(19, self::open($page));
    }

    public function testRepeatedProofIsOneRow(): void
    {
        $page = $this->page(self::STEP . "\n" . '{"proof":"fork.all","tried":100,"unit":"forks","failed":0}' . "\n"
            . '{"proof":"fork.all","tried":200,"unit":"forks","failed":0}');

        self::assertStringContainsString('| 300 forks | 0 (< 1.0 %) |', $page);
    }

    public function testEachPromiseIsOneShortLine(): void
    {
        $promises = array_column(self::rows((string) file_get_contents(self::PAGE)), 1);

        self::assertCount(19, $promises);
        foreach ($promises as $promise) {
            self::assertLessThanOrEqual(260, \strlen($promise), $promise);
        }
    }

    /** @return list<string> guarantees that lack a successful proof, or a control */
    private static function open(string $page): array
    {
        $rows = self::rows($page);
        self::assertCount(19, $rows);

        return array_column(array_filter($rows, static fn(array $row): bool => preg_match('/^0( \(|$)/', $row[3]) !== 1 || $row[4] === 'not measured' || $row[4] === ''), 1);
    }

    /** @return list<array<int, string>> number, promise, tries, failures, control */
    private static function rows(string $page): array
    {
        preg_match_all('/^\| (\d+ \| .+) \|$/m', $page, $lines);

        return array_map(static fn(string $line): array => array_map(trim(...), explode(' | ', $line)), $lines[1]);
    }

    private function page(string $results): string
    {
        $folder = new TemporaryDirectory();
        $process = Repository::process([\PHP_BINARY, 'lab/figures/guarantees-page.php', $folder->write('results.jsonl', $results), "$folder->path/page.md"]);

        self::assertSame(0, $process->run(), $process->getErrorOutput());

        return (string) file_get_contents("$folder->path/page.md");
    }
}
