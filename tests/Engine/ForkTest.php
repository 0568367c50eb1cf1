<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/** A script that holds values forks; both processes continue, or one of them dies first. */
#[Group('proof')]
final class ForkTest extends EngineTestCase
{
    /** Seconds without output after which a process counts as hung. */
    private const SECONDS = 20;

    /**
     * Forks repeatedly. After each fork it prints the number so far, and how many shared a record, changed a value,
     * hung or crashed.
     */
    private const SCRIPT = <<<'PHP'
        <?php
        [, $way, $forks] = $argv;
        $seen = ['forks' => 0, 'shared' => 0, 'changed' => 0, 'hung' => 0, 'crashed' => 0];

        function source(int $i): array
        {
            return ['number' => $i, 'text' => str_repeat("held $i ", 400), 'list' => array_map(fn ($n) => "element $i $n", range(1, 30))];
        }
        function hold(): array
        {
            for ($i = 0; $i < 20; $i++) {
                do { // again if others are in the way
                    larder_store("held $i", source($i));
                    $held[$i] = larder_fetch("held $i");
                } while ($held[$i] !== source($i));
            }
            return $held;
        }
        function is_whole(array $held): bool
        {
            foreach ($held as $i => $value) {
                if ($value !== source($i)) {
                    return false;
                }
            }
            return true;
        }
        function press(): void // overwrites the held keys, and the memory
        {
            for ($i = 0; $i < 20; $i++) {
                larder_store("held $i", "another $i");
            }
            for ($i = 0; $i < 700; $i++) {
                larder_store("pressure $i", str_repeat(chr(33 + $i % 90), 12_000));
            }
        }
        function record(): int
        {
            larder_store('used', 1); // the first use after a fork claims it
            return larder_info()['processes']['mine'];
        }
        function say($to, mixed $what): void
        {
            fwrite($to, base64_encode(serialize($what)) . "\n");
        }
        function hear($from): mixed // null: it hangs; false: it ended
        {
            $read = [$from];
            $none = null;
            if (stream_select($read, $none, $none, SECONDS) !== 1) {
                return null;
            }
            $line = fgets($from);
            return $line === false ? false : unserialize(base64_decode($line));
        }
        /** The child: it tells its record, and whether what its parent held was still whole at last. */
        function child(array $held, $parent, bool $dies): never
        {
            say($parent, record());
            hear($parent);
            if ($dies) {
                press();
                posix_kill(getmypid(), SIGKILL);
            }
            $whole = is_whole($held);
            press();
            say($parent, $whole && is_whole($held));
            exit(0);
        }

        // Somebody in between may die; the ends of the lines are known to all.
        function both(array $held, bool $childDies): array
        {
            global $seen;
            [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $process = pcntl_fork();
            if ($process === 0) {
                fclose($mine);
                child($held, $theirs, $childDies);
            }
            fclose($theirs);
            $seen['forks']++;
            $record = record();
            $other = hear($mine);
            $seen['shared'] += (int) ($other === $record);
            say($mine, 'go on');
            press();
            $whole = hear($mine);
            $seen['hung'] += (int) ($other === null || $whole === null);
            if ($whole === null) {
                posix_kill($process, SIGKILL);
            }
            pcntl_waitpid($process, $status);
            $seen['crashed'] += (int) ($childDies ? pcntl_wtermsig($status) !== SIGKILL : $status !== 0 && $whole !== null);
            $seen['changed'] += (int) ($whole === false && !$childDies || !is_whole($held));
            return $held;
        }
        function parent_dies(): void
        {
            global $seen;
            [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $parent = pcntl_fork();
            if ($parent === 0) {
                fclose($mine);
                $held = hold();
                if (pcntl_fork() === 0) {
                    child($held, $theirs, false);
                }
                say($theirs, record());
                while (true) {
                    press();
                }
            }
            fclose($theirs);
            $seen['forks']++;
            [$one, $other] = [hear($mine), hear($mine)]; // both live till here, and so have records of their own
            posix_kill($parent, SIGKILL);
            pcntl_waitpid($parent, $status);
            $seen['shared'] += (int) ($one !== null && $one === $other);
            say($mine, 'go on');
            press();
            $whole = hear($mine);
            $seen['hung'] += (int) ($one === null || $other === null || $whole === null);
            $seen['changed'] += (int) ($whole === false);
        }

        $held = hold();
        while ($seen['forks'] < $forks) {
            $way === 'the parent dies first' ? parent_dies() : $held = both($held, $way === 'the child dies first');
            if ($seen['forks'] % 20 === 0 && $way !== 'the parent dies first') {
                $held = hold();
            }
            echo serialize($seen), "\n";
        }
        PHP;

    /**
     * The code that separates parent and child: fork handlers, and memory that a fork wipes. By file, the lines to
     * remove.
     */
    private const APART = [
        'process.c' => ['pthread_atfork(process_lock, after_fork_parent, after_fork_child);', ''],
        'os_linux.c' => ['madvise(page, os_page_size(), MADV_WIPEONFORK)', '0'],
    ];

    /** @return iterable<string, array{string}> */
    public static function ways(): iterable
    {
        foreach (['both go on', 'the child dies first', 'the parent dies first'] as $way) {
            yield $way => [$way];
        }
    }

    #[DataProvider('ways')]
    public function testForkKeepsHeldValuesAndGetsItsOwnRecord(string $way): void
    {
        $seen = $this->forks($way, Proof::amount(40, 1_000));
        Proof::record('fork.pcntl', $seen['forks'], 'forks of a script that held values', $seen['failed'], [$way => $seen['forks'] . ' forks' . $seen['failures']]);
        $this->assertNobodyIsLeft();
    }

    public function testForkSharesTheRecordWithoutHandlers(): void
    {
        $seen = $this->forks('both go on', 10, $this->inheritingBuild());
        // a fork can fail in several ways at once
        Proof::control('fork.pcntl', 'without its handlers of forks the extension goes on in the record of before', $seen['forks'], min($seen['forks'], $seen['failed']));
    }

    /** @return string path of an extension like the usual one, without the lines of APART */
    private function inheritingBuild(): string
    {
        $core = Repository::ROOT . '/extension/core';
        $replaced = $objects = [];
        foreach (self::APART as $file => [$what, $by]) {
            $source = str_replace($what, $by, (string) file_get_contents("$core/$file"), $times);
            self::assertSame(1, $times, $file);
            $replaced[] = $this->sandbox->write($file, $source);
        }
        foreach ([...(array) glob("$core/*.c"), ...(array) glob("$core/../php/*.c")] as $source) {
            if (!isset(self::APART[basename((string) $source)])) {
                $objects[] = \dirname((string) $source) . '/.libs/' . basename((string) $source, '.c') . '.o';
            }
        }
        $built = $this->sandbox->folder() . '/inheriting.so';
        (new Process(['gcc', '-shared', '-fPIC', '-O2', '-std=c11', '-D_GNU_SOURCE', '-w', "-I$core", '-o', $built, ...$replaced, ...$objects], timeout: 600))->mustRun();

        return $built;
    }

    /**
     * @param string|null $extension instead of the usual one
     * @return array{forks: int, failures: string, failed: int}
     */
    private function forks(string $way, int $forks, ?string $extension = null): array
    {
        $script = $this->sandbox->write('fork.php', str_replace('SECONDS', (string) self::SECONDS, self::SCRIPT));
        $command = [...$this->sandbox->command(\PHP_BINARY, User::current(), ['larder.processes' => 64]), $script, $way, (string) $forks];
        if ($extension !== null) {
            $command = preg_replace('/^extension=.*/', "extension=$extension", $command);
        }
        $process = new Process($command, timeout: 300);

        try {
            $process->run();
        } catch (ProcessSignaledException) {
            // a crash, which counts; perhaps before it has printed anything
        }
        $lines = explode("\n", trim($process->getOutput()));
        $seen = @unserialize(end($lines), ['allowed_classes' => false]);
        self::assertTrue(\is_array($seen) || $process->hasBeenSignaled(), $process->getOutput() . $process->getErrorOutput());
        $count = static fn(string $what): int => \is_array($seen) && \is_int($seen[$what] ?? null) ? $seen[$what] : 0;

        return [
            'forks' => $count('forks') + ($process->isSuccessful() ? 0 : 1),
            'failures' => implode('', array_map(static fn(string $what): string => $count($what) === 0 ? '' : ", $what: {$count($what)}", ['shared', 'changed', 'hung', 'crashed'])),
            'failed' => $count('shared') + $count('changed') + $count('hung') + $count('crashed') + ($process->isSuccessful() ? 0 : 1),
        ];
    }

    /** Checks, after all processes have ended, that no record is in use and no page is held. */
    private function assertNobodyIsLeft(): void
    {
        $php = $this->sandbox->commandLine(User::current(), ['larder.processes' => 64]);
        // A process needs a moment to end after its last output.
        Wait::until(static fn(): bool => $php->run('larder_store("used", 1); return array_filter(larder_info()["processes"]["holders"], fn($holder) => $holder["pages"] > 0);') === [], 'no page is held');
    }
}
