<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\Group;

/** Whatever replaces a segment, a site refuses it, reports the reason, and continues without a cache. */
#[Group('proof')]
final class OpeningTest extends EngineTestCase
{
    private const REQUEST = 'return [larder_store("value", 1), larder_fetch("value", "none"), larder_exists("value"), larder_increment("n"), larder_info()["reason"], "the page"];';

    /** A worker for each request, so each attaches again. */
    private Fpm $site;

    protected function setUp(): void
    {
        parent::setUp();
        self::needsRoot();
        $this->startSite();
    }

    private function startSite(): void
    {
        $this->site = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, directives: ['pm.max_requests' => '1'])]);
    }

    public function testAttacksAreRefusedWithAReason(): void
    {
        [$attacks, $segment] = $this->attacks();
        $fooled = $falls = [];
        foreach ($attacks->all() as $name => [$attack, $words]) {
            self::assertSame([true, 1, true], \array_slice((array) $this->site->run(self::REQUEST), 0, 3), "before: $name");
            self::assertNotFalse($attack(), $name);
            $seen = (array) $this->site->run(self::REQUEST);
            if (\array_slice($seen, 0, 4) !== [false, 'none', false, false] || !\is_string($seen[4]) || !str_contains($seen[4], $words) || $seen[5] !== 'the page') {
                $fooled[$name] = $seen;
            }
            if ($this->site->run("\$file = @fopen('$segment', 'c+'); return is_resource(\$file) && fwrite(\$file, 'value') === 5;") === true) {
                $falls[] = $name;
            }
            $attacks->end();
        }
        self::assertSame([], $fooled);
        self::assertStringNotContainsString('exited on signal', $this->site->log());
        Proof::record('neighbours.opening', \count($attacks->all()), 'attacks on the place of a segment', \count($fooled), ['attacks' => implode('; ', array_keys($attacks->all()))]);
        Proof::control('neighbours.opening', 'fopen() of the same path, which then writes to: ' . implode('; ', $falls), \count($attacks->all()), \count($falls));
    }

    /** Replaces the segment by other things as fast as possible. */
    private const EXCHANGE = <<<'PHP'
        for ($times = 0, $until = microtime(true) + SECONDS; microtime(true) < $until || $times <= 100; ++$times) {
            match ($times % 3) {
                0 => @symlink('VICTIM', 'SEGMENT.mine'),
                1 => @link('VICTIM', 'SEGMENT.mine'),
                2 => @copy('VICTIM', 'SEGMENT.mine') && @chmod('SEGMENT.mine', 0644),
            };
            @rename('SEGMENT', 'SEGMENT.true');
            @rename('SEGMENT.mine', 'SEGMENT');
            usleep(mt_rand(0, 300)); // or a slow machine's requests would hardly ever meet it
            @rename('SEGMENT.true', 'SEGMENT');
        }
        return $times;
        PHP;

    public function testSegmentExchangedBetweenTwoChecksIsNotUsed(): void
    {
        [$requests, $exchanged, $answers, $wrong, $changed] = $this->exchange(Proof::amount(1, 30));
        self::assertGreaterThan(100, $exchanged);
        self::assertStringNotContainsString('exited on signal', $this->site->log());
        Proof::record('neighbours.exchanged', $requests, 'first uses while the segment is exchanged for links and files of others', $wrong + (int) ($changed > 0), [
            'exchanges' => number_format($exchanged), 'uses that had the cache' => (string) $answers, 'bytes of the others that changed' => (string) $changed,
        ]);
    }

    public function testForeignFileIsWrittenWithoutTheCheck(): void
    {
        $this->useCarelessBuild();
        $this->startSite();
        $requests = $written = 0;
        for ($seconds = 1; $written === 0 && $seconds < 20; ++$seconds) {
            [$more, , , , $changed] = $this->exchange($seconds);
            $requests += $more;
            $written = (int) ($changed > 0);
        }
        Proof::control('neighbours.exchanged', 'a build that looks neither for links nor whose a file is, until it has written to somebody else\'s', $requests, $written);
    }

    /**
     * @return array{int, int, int, int, int} uses, replacements, uses with the cache, uses with a wrong result, changed
     *         bytes of other users
     */
    private function exchange(int $seconds): array
    {
        $this->site->run(self::REQUEST);
        [$segment] = $this->sandbox->segments();
        $victim = $this->sandbox->write('victim', $content = str_repeat('content of somebody else ', 1_000));
        chown($victim, User::site()->id);
        $attacker = $this->sandbox->commandLine();
        $attacker->begin(strtr(self::EXCHANGE, ['VICTIM' => $victim, 'SEGMENT' => $segment, 'SECONDS' => (string) $seconds]));
        $requests = $answers = $wrong = 0;
        for ($until = microtime(true) + $seconds; microtime(true) < $until; ++$requests) {
            [$stored, $fetched, , , $reason, $page] = (array) $this->site->run(self::REQUEST);
            $answers += (int) ($stored === true && $fetched === 1);
            $wrong += (int) ($page !== 'the page' || ($stored !== true && ($fetched !== 'none' || $reason === '')));
        }
        $exchanged = $attacker->end();
        self::assertIsInt($exchanged);
        $found = (string) file_get_contents($victim);
        $changed = max(\strlen($content), \strlen($found)) - substr_count($content ^ $found, "\0");

        return [$requests, $exchanged, $answers, $wrong, $changed];
    }

    /** @return array{Attacks, string} and the segment that they attack */
    private function attacks(): array
    {
        $this->site->run(self::REQUEST);
        [$segment] = $this->sandbox->segments();
        $elsewhere = $this->sandbox->memory . '/elsewhere'; // in the same file system, so that hard links are possible
        mkdir($elsewhere, 0o777);
        chmod($elsewhere, 0o777);

        return [new Attacks($this->sandbox, \dirname($segment), $segment, $elsewhere), $segment];
    }
}
