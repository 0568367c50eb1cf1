<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * This PHP and one of another version, attached at the same time, by the same user, with the same settings.
 *
 * lab/versions/prove starts it and names the other PHP: LARDER_OTHER_PHP is the command that runs it with its
 * extension, LARDER_OTHER_PHP_UNCHECKED the same with an extension that does not check which PHP a segment's values
 * belong to.
 */
#[Group('proof')]
final class VersionsTest extends TestCase
{
    private const KEYS = 500;

    /** Number of times that both sides store and read all keys at once. */
    private const ROUNDS = 40;

    /** A value that contains its writer, and all shapes that are pointed to. */
    private const VALUES = <<<'PHP'
        function value(string $who, int $key, int $round): array
        {
            return ['who' => $who, 'round' => $round, 'list' => range($key, $key + 9), 'text' => str_repeat("$who $key ", 20), 'map' => ["k$key" => $key / 4, 'empty' => [], 'yes' => true]];
        }
        PHP;

    private const STORE = <<<'PHP'
        for ($key = 0; $key < %1$d; $key++) {
            larder_store("shared $key", value('%2$s', $key, %3$d));
        }
        return 0;
        PHP;

    /** Number of values that this PHP has not stored, and number of misses. */
    private const READ = <<<'PHP'
        $foreign = $missing = 0;
        for ($key = 0; $key < %1$d; $key++) {
            $found = larder_fetch("shared $key");
            $missing += (int) ($found === null);
            $foreign += (int) ($found !== null && $found !== value('%2$s', $key, %3$d));
        }
        return [$foreign, $missing];
        PHP;

    /** Number of keys that no process of this PHP has stored. */
    private const COUNT_FOREIGN = <<<'PHP'
        $foreign = 0;
        for ($key = 0; $key < %d; $key++) {
            $foreign += (int) (larder_fetch("shared $key", 'a miss') !== 'a miss');
        }
        return $foreign;
        PHP;

    private TemporaryDirectory $shared;

    /** @var list<CommandLine> */
    private array $running = [];

    protected function setUp(): void
    {
        if (getenv('LARDER_OTHER_PHP') === false) {
            self::markTestSkipped('needs a PHP of another version: lab/versions/prove');
        }
        $this->shared = new TemporaryDirectory('/dev/shm');
        $this->shared->write('command-line.php', CommandLine::SCRIPT);
    }

    protected function tearDown(): void
    {
        foreach ($this->running as $php) {
            $php->stop();
        }
        if (isset($this->shared)) {
            $this->shared->remove();
        }
    }

    public function testTwoVersionsRunSideBySide(): void
    {
        [$here, $there] = [$this->here(), $this->there()];
        $versions = [$here->text('return PHP_VERSION;'), $there->text('return PHP_VERSION;')];
        self::assertNotSame(...array_map(static fn(string $version): string => implode('.', \array_slice(explode('.', $version), 0, 2)), $versions));

        [$foreign, $missing] = $this->storeAtOnce($here, $there, self::ROUNDS);
        self::assertSame(0, $missing, 'each has room for all keys');

        // Entries that only one side has stored.
        $here->run('for ($key = 0; $key < 500; $key++) { larder_store("only here $key", $key); } larder_clear(); return 0;');
        self::assertSame(self::KEYS, $there->number(\sprintf(self::COUNT_FOREIGN, self::KEYS)), 'a clear of the one leaves the other alone');
        $foreign += $here->number(\sprintf(self::COUNT_FOREIGN, self::KEYS));

        self::assertCount(2, $this->segments());
        $own = [$here->text('return larder_info()["path"];'), $there->text('return larder_info()["path"];')];
        self::assertEqualsCanonicalizing($this->segments(), $own);
        $tried = 2 * self::ROUNDS * self::KEYS + self::KEYS;
        Proof::record('versions.side-by-side', $tried, 'fetches of two versions of PHP, attached at once', $foreign, ["PHP $versions[0] and $versions[1]" => (string) $tried]);

        [$foreign] = $this->storeAtOnce($here, $this->here(), 3);
        Proof::control('versions.side-by-side', 'both of the same version, and so in one segment', 2 * 3 * self::KEYS, $foreign);
    }

    /** The name of the other version's file does not matter, only its content. */
    public function testFileUnderAnotherVersionsNameIsReplaced(): void
    {
        $tries = Proof::amount(3, 20);
        $foreign = 0;
        for ($try = 0; $try < $tries; $try++) {
            $this->giveItTheNameOfTheOther();
            $there = $this->there();
            $foreign += $there->number(\sprintf(self::COUNT_FOREIGN, self::KEYS));
            $there->run('larder_store("own", [1, 2]); return 0;');
            self::assertSame([1, 2], $there->run('return larder_fetch("own");'));
            $there->stop();
        }
        Proof::record('versions.renamed', $tries * self::KEYS, 'fetches from a segment that had been made by the other version', $foreign);

        $this->giveItTheNameOfTheOther();
        $unchecked = $this->other('LARDER_OTHER_PHP_UNCHECKED');

        try {
            $misread = $unchecked->number(\sprintf(self::COUNT_FOREIGN, self::KEYS));
        } catch (PhpFailed) {
            $misread = self::KEYS; // it crashed on them
        }
        Proof::control('versions.renamed', 'without the comparison of the layout', self::KEYS, $misread);
    }

    public function testLinkToAnotherVersionsSegmentIsRefused(): void
    {
        $names = $this->bothSegments();
        unlink($names['there']);
        foreach (['symlink' => symlink(...), 'hard link' => link(...)] as $kind => $link) {
            $link($names['here'], $names['there']);
            $there = $this->there();
            self::assertSame(0, $there->number(\sprintf(self::COUNT_FOREIGN, self::KEYS)), $kind);
            self::assertFalse($there->run('return larder_store("own", 1);'), $kind);
            self::assertStringContainsString($names['there'], $there->text('return (string) json_encode(larder_info(), JSON_UNESCAPED_SLASHES);'), "$kind: what is wrong is said");
            $there->stop();
            unlink($names['there']);
            self::assertSame(self::KEYS, $this->here()->number(\sprintf(self::COUNT_FOREIGN, self::KEYS)), "$kind: the other lost nothing by it");
        }
    }

    /** @return array{int, int} number of fetches that returned the other side's value, and number of misses */
    private function storeAtOnce(CommandLine $one, CommandLine $other, int $rounds): array
    {
        $foreign = $missing = 0;
        for ($round = 0; $round < $rounds; $round++) {
            self::atOnce($one, $other, self::STORE, $round);
            foreach (self::atOnce($one, $other, self::READ, $round) as $result) {
                self::assertIsArray($result);
                $foreign += \is_int($result[0]) ? $result[0] : self::fail('no count');
                $missing += \is_int($result[1]) ? $result[1] : self::fail('no count');
            }
        }

        return [$foreign, $missing];
    }

    /** @return list<mixed> results of both */
    private static function atOnce(CommandLine $one, CommandLine $other, string $code, int $round): array
    {
        $one->begin(\sprintf($code, self::KEYS, 'here', $round));
        $other->begin(\sprintf($code, self::KEYS, 'there', $round));

        return [$one->end(), $other->end()];
    }

    private function giveItTheNameOfTheOther(): void
    {
        $names = $this->bothSegments();
        rename($names['here'], $names['there']);
    }

    /**
     * @return array{here: string, there: string} paths of both segments, which no process uses any more; this PHP's is
     *         full
     */
    private function bothSegments(): array
    {
        foreach ($this->segments() as $segment) {
            unlink($segment);
        }
        $there = $this->there();
        $there->run('larder_store("own", 1); return 0;');
        [$other] = [...$this->segments(), ''];
        $there->stop();
        $here = $this->here();
        $here->run(\sprintf(self::STORE, self::KEYS, 'here', 0));
        $here->stop();
        [$own] = [...array_values(array_diff($this->segments(), [$other])), ''];
        self::assertFileExists($other);
        self::assertFileExists($own);

        return ['here' => $own, 'there' => $other];
    }

    /** @return list<string> */
    private function segments(): array
    {
        $files = glob($this->shared->path . '/larder-*/*-' . str_repeat('[0-9a-f]', 16));

        return $files === false ? [] : $files;
    }

    private function here(): CommandLine
    {
        return $this->start([\PHP_BINARY, '-n', '-d', 'extension=' . Repository::ROOT . '/extension/modules/larder.so']);
    }

    private function there(): CommandLine
    {
        return $this->other('LARDER_OTHER_PHP');
    }

    private function other(string $variable): CommandLine
    {
        return $this->start(explode(' ', (string) getenv($variable)));
    }

    /** @param list<string> $command */
    private function start(array $command): CommandLine
    {
        $php = new CommandLine([...$command, '-d', 'display_errors=stderr', '-d', "larder.path={$this->shared->path}", '-d', 'larder.size=8M', $this->shared->path . '/command-line.php']);
        $php->run(self::VALUES);

        return $this->running[] = $php;
    }
}
