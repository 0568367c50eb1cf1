<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Measure;

use Larder\Cli\Measure\Journal;
use Larder\Cli\Measure\Sample;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Histogram;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class JournalTest extends TestCase
{
    private TemporaryDirectory $directory;
    private string $file;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
        $this->file = $this->directory->path . '/state/journal.jsonl';
    }

    public function testSamplesOfAnInterruptedRunAreReadAgain(): void
    {
        $block = new CountingBlock('redis');
        $histogram = Histogram::empty();
        $histogram->record(5);
        $sample = new Sample($block->subjects()[0], 12.5, histogram: $histogram, drift: 1.5);
        Journal::start($this->file, ['rounds' => '10'])->add(3, $block, [$sample]);
        $journal = Journal::continue($this->file, ['rounds' => '10']);
        self::assertEquals([$sample], $journal->samples(3, $block));
        self::assertNull($journal->samples(4, $block));
        self::assertNull($journal->samples(3, new CountingBlock('apcu')));
    }

    public function testHalfAWrittenLineIsDropped(): void
    {
        $block = new CountingBlock('redis');
        Journal::start($this->file, [])->add(1, $block, [new Sample($block->subjects()[0], 1.0)]);
        file_put_contents($this->file, '{"round":2,"blo', \FILE_APPEND);
        Journal::continue($this->file, [])->add(2, $block, [new Sample($block->subjects()[0], 2.0)]);
        $journal = Journal::continue($this->file, []);
        self::assertSame(
            [1.0, 2.0],
            [$journal->samples(1, $block)[0]->figure ?? null, $journal->samples(2, $block)[0]->figure ?? null],
        );
    }

    public function testOtherSettingsAreRefusedAndNamed(): void
    {
        Journal::start($this->file, ['rounds' => '10', 'stores' => 'apcu', 'boot' => 'a']);
        $this->expectExceptionMessage(
            "rounds: it had 10, this one has 12.\nboot: it had a, this one has b.\nstores: it had apcu, "
                . 'this one has not set.',
        );
        Journal::continue($this->file, ['rounds' => '12', 'boot' => 'b']);
    }

    public function testNothingToResumeIsSaid(): void
    {
        $this->expectExceptionMessage('--resume: there is no interrupted run in ' . $this->file);
        Journal::continue($this->file, []);
    }

    public function testOtherFileIsNotTakenForAJournal(): void
    {
        file_put_contents($file = $this->directory->path . '/notes.txt', "milk\n");
        $this->expectExceptionMessage($file . ' is not the journal of a run');
        Journal::continue($file, []);
    }

    public function testJournalOfARunningRunIsRefused(): void
    {
        $running = Journal::start($this->file, []);
        $this->expectExceptionMessage('another run writes to ' . $running->file());
        Journal::start($this->file, []);
    }

    public function testOtherFileIsNotOverwritten(): void
    {
        file_put_contents($file = $this->directory->path . '/notes.txt', "milk\n");

        try {
            Journal::start($file, []);
            self::fail('overwritten');
        } catch (\RuntimeException $refused) {
            self::assertStringContainsString($file . ' is not a journal', $refused->getMessage());
        }
        self::assertSame("milk\n", file_get_contents($file));
    }

    public function testJournalOfAnEarlierRunIsReplaced(): void
    {
        $block = new CountingBlock('redis');
        Journal::start($this->file, [])->add(1, $block, [new Sample($block->subjects()[0], 1.0)]);
        Journal::start($this->file, []);
        self::assertNull(Journal::continue($this->file, [])->samples(1, $block));
    }

    /** @return iterable<string, array{string}> */
    public static function damagedLines(): iterable
    {
        yield 'no JSON' => ['{"round":1'];
        yield 'no object' => ['5'];
        yield 'no round' => ['{"block":"redis","samples":[]}'];
        yield 'no samples' => ['{"round":1,"block":"redis","samples":"x"}'];
        yield 'short samples' => ['{"round":1,"block":"redis","samples":[["key"]]}'];
        yield 'a text for a figure' => ['{"round":1,"block":"redis","samples":[["key","1",0,"",null,null]]}'];
        yield 'an infinite figure' => ['{"round":1,"block":"redis","samples":[["key",1e999,0,"",null,null]]}'];
        yield 'a wrong histogram' => [
            '{"round":1,"block":"redis","samples":[["key",1.0,0,"",{"counts":{"a":1},"maximum":1},null]]}',
        ];
    }

    #[DataProvider('damagedLines')]
    public function testDamagedLineIsNamed(string $line): void
    {
        Journal::start($this->file, []);
        file_put_contents($this->file, $line . "\n", \FILE_APPEND);
        $this->expectExceptionMessage('--resume: line 2 of ' . $this->file . ' is damaged.');
        Journal::continue($this->file, []);
    }

    public function testDeviceIsNotRemoved(): void
    {
        Journal::start('/dev/null', [])->remove();
        self::assertSame('char', filetype('/dev/null'));
    }

    public function testWithoutAHomeTheJournalIsInAFolderOfThisUser(): void
    {
        $before = [getenv('HOME'), getenv('XDG_STATE_HOME')];
        putenv('HOME');
        putenv('XDG_STATE_HOME');

        try {
            $folder = \dirname(Journal::place(), 2);
        } finally {
            putenv($before[0] === false ? 'HOME' : 'HOME=' . $before[0]);
            putenv($before[1] === false ? 'XDG_STATE_HOME' : 'XDG_STATE_HOME=' . $before[1]);
        }
        $stat = stat($folder);
        self::assertIsArray($stat);
        self::assertSame([posix_geteuid(), 0o40700], [$stat['uid'], $stat['mode']]);
    }
}
