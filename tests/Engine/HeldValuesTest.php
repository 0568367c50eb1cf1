<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Values that a request holds do not change until it ends, whatever other processes do. */
#[Group('proof')]
final class HeldValuesTest extends EngineTestCase
{
    private const JIT = [
        'opcache.enable' => 1, 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M', 'opcache.jit_hot_loop' => 2, 'opcache.jit_hot_func' => 2,
        'opcache.jit_hot_return' => 2, 'opcache.jit_hot_side_exit' => 2, 'opcache.validate_timestamps' => 0, 'opcache.file_update_protection' => 0,
    ];

    private string $notes;

    /**
     * Each page is requested this many times. The first time it waits until all memory that is not held has surely been
     * overwritten, later for a moment.
     *
     * @return iterable<string, array{Sandbox::*, int}>
     */
    public static function builds(): iterable
    {
        yield 'many requests' => [Sandbox::USUAL, 17];
        yield 'unreadable after each request' => [Sandbox::UNREADABLE, 2];
    }

    /** @param Sandbox::USUAL|Sandbox::UNREADABLE $build */
    #[DataProvider('builds')]
    public function testHeldValuesDoNotChange(string $build, int $times): void
    {
        if ($build === Sandbox::UNREADABLE) {
            $this->useUnreadableBuild();
        }
        $scripts = $this->scripts(Pressure::start($this->sandbox));
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name)], self::JIT);
        $worker = 'worker ' . $fpm->pid();
        for ($i = 0; $i < $times; ++$i) {
            foreach ($scripts as $name => $script) {
                $response = $fpm->server->request($script, $i === 0 ? 'patient' : '');
                self::assertSame([$worker, ''], [$response->body, $response->errors], $name);
            }
        }
        self::assertStringNotContainsString('SIGSEGV', $fpm->log());

        $noted = array_count_values($this->noted());
        foreach (array_keys($scripts) as $name) {
            self::assertNotSame([], array_filter(array_keys($noted), static fn(string $note): bool => str_starts_with($note, "unchanged: $name")), "$name was not looked at");
        }
        // No page missed a check. (PHP closes a filter twice.)
        self::assertSame([], array_filter($noted, static fn(int $looks): bool => $looks % $times !== 0));
        $changed = array_filter($noted, static fn(string $note): bool => !str_starts_with($note, 'unchanged: '), \ARRAY_FILTER_USE_KEY);
        self::assertSame([], $changed);
        if ($build === Sandbox::USUAL) {
            Proof::record('holding.places', array_sum($noted), 'looks at values held in superglobals, statics, destructors, streams, compiled code and so on', array_sum($changed), ['places' => (string) \count($noted)]);
        }
        // the control: the compiler has compiled
        self::assertTrue($fpm->run('$jit = opcache_get_status(false)["jit"]; return $jit["on"] && $jit["buffer_free"] < $jit["buffer_size"] - 10_000;'));
    }

    /** The control: the same pages notice it if each fetch releases the pages of earlier fetches. */
    public function testUnheldValueChanges(): void
    {
        $this->useUnreadableBuild();
        $scripts = $this->scripts(Pressure::start($this->sandbox));
        $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name)], ['larder.control' => 3]);
        $noticed = fn(): bool => preg_grep('/^CHANGED/', $this->noted()) !== [] || str_contains($fpm->log(), 'SIGSEGV');
        // One page of the segment often has all values of a request: the latest one then protects the others.
        $requests = 0;
        while ($requests < 100 && !$noticed()) {
            ++$requests;
            $fpm->server->startRequest($scripts[array_rand($scripts)], 'patient')->wait();
        }
        Proof::control('holding.places', 'a build in which each fetch releases what was held before it', $requests, (int) $noticed());
    }

    /** The control: the other processes do overwrite values that are not held. */
    public function testValueIsKeptUntilTheRequestEnds(): void
    {
        $pressure = Pressure::start($this->sandbox);
        $flags = $this->sandbox->folder();
        $fpm = $this->sandbox->fpm();
        [$segment] = $this->sandbox->segments();
        $mark = bin2hex(random_bytes(16));
        $request = $fpm->begin(<<<PHP
            while ((\$held = larder_fetch('marked')) === null) {
                larder_store('marked', str_repeat('$mark', 100));
            }
            larder_delete('marked');
            touch('$flags/holds');
            for (\$i = 0; \$i < 50_000 && !file_exists('$flags/end'); ++\$i) {
                usleep(2_000);
            }
            return \$held === str_repeat('$mark', 100);
            PHP);
        Wait::until(static fn(): bool => file_exists("$flags/holds"), 'the value is held');
        $places = $this->find(str_repeat($mark, 100), $segment);
        self::assertNotSame([], $places);
        $pressure->wait();
        self::assertNotSame([], array_intersect($places, $this->find(str_repeat($mark, 100), $segment)), 'written over while it was held');

        touch("$flags/end");
        self::assertTrue($fpm->end($request));
        $pressure->wait();
        self::assertSame([], $this->find(str_repeat($mark, 100), $segment), 'not written over although nobody held it');
    }

    public function testNamesThatOutliveTheirRequestHoldPagesLonger(): void
    {
        $fpm = $this->sandbox->fpm();
        $observer = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $observer->run('larder_store("scheme", "held-scheme-of-a-long-name"); larder_store("filter", "held.filter.of.a.long.name");');
        $requests = [
            '$held = larder_fetch("scheme"); return larder_fetch("filter");' => 0,
            'return stream_wrapper_register(larder_fetch("scheme"), "php_user_filter");' => 1,
            'return larder_fetch("scheme");' => 0,
            'return stream_filter_register(larder_fetch("filter"), "php_user_filter");' => 1,
            'return 1;' => 0,
        ];
        foreach ($requests as $code => $pagesHeldAfterwards) {
            self::assertNotFalse($fpm->run($code));
            self::assertSame($pagesHeldAfterwards, $observer->number('return array_sum(array_column(larder_info()["processes"]["holders"], "pages"));'), $code);
        }
    }

    /** @return array<string, string> all pages: scripts by name */
    private function scripts(Pressure $pressure): array
    {
        $this->notes = $this->sandbox->folder() . '/notes';
        $scripts = [];
        foreach (array_keys(HoldingPages::PAGES) as $name) {
            $scripts[$name] = $this->sandbox->write(md5($name) . '.php', HoldingPages::script($name, $pressure, $this->notes));
        }

        return $scripts;
    }

    /** @return list<string> observations of the pages */
    private function noted(): array
    {
        return is_file($this->notes) ? explode("\n", trim((string) file_get_contents($this->notes))) : [];
    }

    /** @return list<int> positions of the bytes in the segment */
    private function find(string $bytes, string $segment): array
    {
        $content = (string) file_get_contents($segment);
        $places = [];
        for ($at = strpos($content, $bytes); $at !== false; $at = strpos($content, $bytes, $at + 1)) {
            $places[] = $at;
        }

        return $places;
    }
}
