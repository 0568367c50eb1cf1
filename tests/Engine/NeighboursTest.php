<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\Group;

/** Two pools of two users under one master: neither sees the other's cache, or can change it. */
#[Group('proof')]
final class NeighboursTest extends EngineTestCase
{
    private const KEYS = 10_000;
    private const STORE = 'for ($i = $stored = 0; $i < %d; ++$i) { $stored += CACHE_store("%s $i", "secret of %2$s $i"); } return $stored;';

    /** All ways to read a value of the other user; returns the number of values found. */
    private const LOOK = <<<'PHP'
        $found = 0;
        foreach (array_chunk(range(0, KEYS - 1), 100) as $numbers) {
            $keys = array_map(fn(int $i): string => "OTHER $i", $numbers);
            $many = larder_fetch_multiple($keys);
            foreach ($keys as $i => $key) {
                $found += larder_fetch($key) !== null || larder_exists($key) || $many[$key] !== null || larder_touch($key, 1) || larder_delete($key) || larder_replace($key, 1);
            }
        }
        return $found;
        PHP;

    /** All ways to reach a process of the other user; returns the data that could be read. */
    private const REACH = <<<'PHP'
        $reached = [];
        foreach (FILES as $path) {
            if (@fopen($path, 'r') || @fopen($path, 'r+') || @fopen($path, 'a') || @fopen($path, 'x') || @file_get_contents($path) !== false || @rename($path, "$path.mine") || @unlink($path) || @chmod($path, 0666) || @scandir($path) || @readlink($path)) {
                $reached[] = $path;
            }
        }
        return [count(FILES), $reached];
        PHP;

    private Fpm $site;
    private Fpm $stranger;
    private Fpm $fpm;

    protected function setUp(): void
    {
        parent::setUp();
        self::needsRoot();
        $this->startPools();
    }

    private function startPools(): void
    {
        $this->fpm = $this->sandbox->fpm([
            new PhpFpmPool('site', user: User::site()->name),
            new PhpFpmPool('stranger', user: User::stranger()->name),
        ], ['larder.size' => '16M']);
        $this->site = $this->fpm->pool('site');
        $this->stranger = $this->fpm->pool('stranger');
    }

    public function testOtherPoolsValuesAreInvisible(): void
    {
        foreach (['site' => $this->site, 'stranger' => $this->stranger] as $name => $pool) {
            self::assertSame(self::KEYS, $pool->run(strtr(\sprintf(self::STORE, self::KEYS, $name), ['CACHE' => 'larder'])));
        }
        $found = $this->stranger->number(strtr(self::LOOK, ['KEYS' => (string) self::KEYS, 'OTHER' => 'site']));
        // It sees only its own entries, processes and paths.
        self::assertSame(self::KEYS, $this->stranger->figure('entries'));
        self::assertSame(1, $this->stranger->figure('processes', 'attached'));
        self::assertStringNotContainsString('/larder-' . User::site()->id . '/', $this->stranger->text('return serialize(larder_info());'));

        // It changes only its own cache.
        self::assertTrue($this->stranger->run('return larder_clear();'));
        self::assertSame([self::KEYS, 0], [$this->site->figure('entries'), $this->stranger->figure('entries')]);
        $lost = $this->site->number(\sprintf('for ($i = $lost = 0; $i < %d; ++$i) { $lost += larder_fetch("site $i") !== "secret of site $i"; } return $lost;', self::KEYS));
        Proof::record('neighbours.pools', self::KEYS, 'keys of another pool, looked for by all functions, and cleared by it', $found + $lost, ['seen' => (string) $found, 'lost' => (string) $lost]);
    }

    /** The control: APCu has one cache for all pools of a master. */
    public function testApcuSharesValuesBetweenPools(): void
    {
        $this->site->run(strtr(\sprintf(self::STORE, self::KEYS, 'site'), ['CACHE' => 'apcu']));
        $found = $this->stranger->number(\sprintf('for ($i = $found = 0; $i < %d; ++$i) { $found += apcu_fetch("site $i") === "secret of site $i"; } return $found;', self::KEYS));
        Proof::control('neighbours.pools', 'APCu in the same pools', self::KEYS, $found);
    }

    public function testOtherUsersFilesAndProcessesCannotBeReached(): void
    {
        $this->site->run('larder_store("value", str_repeat("secret ", 1_000)); $held = larder_fetch("value");');
        $this->stranger->run('larder_store("value", "mine");');
        $worker = $this->site->pid();
        [$segment] = $this->sandbox->segments();
        $paths = [$segment, "$segment.lock", \dirname($segment), \dirname($segment) . '/default', "$segment.new.1", $this->sandbox->memory . '/larder-' . User::stranger()->id . '/../larder-' . User::site()->id . '/' . basename($segment)];
        foreach (['maps', 'smaps', 'mem', 'fd', 'map_files', 'environ', 'pagemap', 'syscall', 'stack', 'root', 'cwd', 'exe'] as $name) {
            $paths[] = "/proc/$worker/$name";
        }
        for ($i = 0; $i < 32; ++$i) {
            $paths[] = "/proc/$worker/fd/$i";
            $paths[] = "/proc/$worker/task/$worker/fd/$i";
        }
        foreach ($this->sandbox->heldBy($worker) as $held) {
            if (preg_match('/^[0-9a-f]+-[0-9a-f]+/', $held, $range) === 1) {
                $paths[] = "/proc/$worker/map_files/{$range[0]}";
            }
        }
        self::assertSame([], preg_grep('#/larder-' . User::site()->id . '/#', $this->sandbox->heldBy($this->stranger->pid())), 'its worker inherited something');
        $files = var_export($paths, true);
        /** @var array{int, list<string>} $seen */
        $seen = $this->stranger->run(strtr(self::REACH, ['FILES' => $files]));
        self::assertSame([], $seen[1]);
        Proof::record('neighbours.files', $seen[0], "paths of another user's segment and worker", \count($seen[1]));

        /** @var array{int, list<string>} $own */
        $own = $this->site->run(strtr(self::REACH, ['FILES' => var_export(["/proc/$worker/maps", \dirname($segment), $segment], true)]));
        Proof::control('neighbours.files', 'its owner tries the same', $own[0], \count($own[1]));
    }

    /** Whatever segment its settings name, it is in its own folder. */
    public function testNameOfAnotherUsersSegmentLeadsToAnOwnSegment(): void
    {
        [$tried, $seen] = $this->nameTheOthersSegment();
        Proof::record('neighbours.names', $tried, "settings that name another user's segment", $seen);
        self::assertSame('of the site', $this->sandbox->commandLine(ini: ['larder.size' => '16M'])->run('return larder_fetch("value");'), 'the control: its user finds it by them');
    }

    public function testNameOfAnotherUsersSegmentOpensItWithoutTheCheck(): void
    {
        $this->useCarelessBuild();
        $this->startPools();
        [$tried, $seen] = $this->nameTheOthersSegment();
        Proof::control('neighbours.names', 'a build in which a name may lead anywhere, segments are open to all, and nobody looks whose they are', $tried, $seen);
    }

    /**
     * @return array{int, int} number of tries with the other's name, and how often the value was seen or lost through
     *         that
     */
    private function nameTheOthersSegment(): array
    {
        $this->site->run('larder_store("value", "of the site");');
        [$segment] = $this->sandbox->segments();
        $guesses = [
            ['larder.segment' => 'default'], ['larder.path' => $this->sandbox->memory . '/'], ['larder.path' => $this->sandbox->memory . '/./'],
            ['larder.segment' => '../larder-' . User::site()->id . '/default'], ['larder.path' => \dirname($segment)], ['larder.segment' => basename($segment)],
        ];
        $failed = 0;
        foreach ($guesses as $guess) {
            $stranger = $this->sandbox->commandLine(User::stranger(), ['larder.size' => '16M', ...$guess]);
            $seen = $stranger->run('return larder_fetch("value");') !== null;
            $stranger->run('larder_store("value", "of a stranger"); larder_clear();');
            $lost = $this->site->run('return larder_fetch("value");') !== 'of the site';
            $failed += (int) ($seen || $lost);
            $this->site->run('larder_store("value", "of the site");');
        }

        return [\count($guesses), $failed];
    }
}
