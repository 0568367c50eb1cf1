<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/** Processes without request ends release the values that they no longer use, and no others. */
#[Group('proof')]
final class WorkersTest extends EngineTestCase
{
    private const SCRIPT = 'extension/tests/workers/held-anywhere.inc';

    /** Memory that larder.control excludes from the search for pointers. */
    private const LEFT_OUT = [
        5 => 'malloc\'s first heap is',
        6 => 'anonymous mappings, such as PHP\'s heap, are',
    ];

    /** With the build in which released pages are unreadable, and every fetch releases pages. */
    public function testValuesInUseAreFoundWhereverTheyAreHeld(): void
    {
        $this->useUnreadableBuild();
        $tried = $failed = 0;
        $runs = Proof::amount(2, 20);
        foreach (self::settings() as $settings) {
            for ($run = 0; $run < $runs; ++$run) {
                [$values, $changed] = $this->hold($settings, 4);
                $tried += $values;
                $failed += $changed;
            }
        }
        foreach (self::LEFT_OUT as $control => $kind) {
            [$values, $changed] = $this->hold([], $control);
            Proof::control('holding.workers', "$kind not looked through", max(1, $values), $changed);
        }
        Proof::record('holding.workers', $tried, 'values in all places where PHP holds one, without opcache and with its JIT, whose process released before every fetch what it does not use, while all that is released is overwritten', $failed);
    }

    /** @return list<array<string, int|string>> */
    private static function settings(): array
    {
        return [
            [],
            ['opcache.enable_cli' => 1, 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M', 'opcache.jit_hot_loop' => 2, 'opcache.jit_hot_func' => 2, 'opcache.jit_hot_return' => 2, 'opcache.jit_hot_side_exit' => 2],
        ];
    }

    /**
     * @param array<string, int|string> $settings
     * @return array{int, int} number of values held, and how many of them had changed; a crash counts as one
     */
    private function hold(array $settings, int $control): array
    {
        $ini = ['extension' => Repository::ROOT . '/' . Sandbox::UNREADABLE, 'larder.path' => $this->sandbox->memory, 'larder.control' => $control, ...$settings];
        $options = array_merge(...array_map(static fn(string $name, int|string $value): array => ['-d', "$name=$value"], array_keys($ini), $ini));
        $process = new Process([\PHP_BINARY, ...$options, '-f', Repository::ROOT . '/' . self::SCRIPT], timeout: 120);

        try {
            $process->run();
        } catch (ProcessSignaledException) {
            // a crash, which counts
        }
        $said = $process->getOutput();
        if (preg_match('/^(\d+) values, many scans that released pages$/m', $said, $match) !== 1) {
            return [1, 1]; // it was killed, or threw
        }

        return [(int) $match[1], substr_count($said, ' has changed')];
    }
}
