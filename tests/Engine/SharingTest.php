<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** FPM and the command line of one user share one cache, which a reload and a restart of FPM do not change. */
#[Group('proof')]
final class SharingTest extends EngineTestCase
{
    public function testValuesSurviveAReloadAndARestart(): void
    {

        [$tried, $missed] = $this->share('larder', Proof::amount(1_000, 10_000));
        [$controlTried, $controlMissed] = $this->share('apcu', 100);

        Proof::record('sharing.processes', $tried, 'fetches of what another process stored: FPM from the command line and back, after a reload, after a restart', $missed);
        Proof::control('sharing.processes', 'APCu, the same fetches', $controlTried, $controlMissed);
    }

    /** @return array{int, int} number of fetches, and how many found no value or another one */
    private function share(string $cache, int $keys): array
    {
        $settings = ['apc.enable_cli' => 1, 'larder.size' => '32M'];
        $commandLine = $this->sandbox->commandLine(ini: $settings);
        $fpm = $this->sandbox->fpm(ini: $settings);
        $this->store($commandLine, $cache, 'line', $keys);
        $this->store($fpm, $cache, 'fpm', $keys);
        $missed = $this->missed($fpm, $cache, 'line', $keys) + $this->missed($commandLine, $cache, 'fpm', $keys);

        $fpm->server->reload();
        $missed += $this->missed($fpm, $cache, 'line', $keys) + $this->missed($fpm, $cache, 'fpm', $keys);

        $again = $this->restarted($fpm, $settings);
        $missed += $this->missed($again, $cache, 'line', $keys) + $this->missed($again, $cache, 'fpm', $keys);

        return [6 * $keys, $missed];
    }

    /** @param array<string, string|int> $ini */
    private function restarted(Fpm $fpm, array $ini): Fpm
    {
        Processes::kill($fpm->master(), \SIGTERM);

        return $this->sandbox->fpm(ini: $ini);
    }

    private function store(Php $php, string $cache, string $from, int $keys): void
    {
        $stored = $php->run(strtr('$stored = 0; for ($i = 0; $i < KEYS; ++$i) { $stored += CACHE_store("FROM $i", ["FROM", $i]); } return $stored;', ['KEYS' => (string) $keys, 'CACHE' => $cache, 'FROM' => $from]));
        self::assertSame($keys, $stored);
    }

    private function missed(Php $php, string $cache, string $from, int $keys): int
    {
        return $php->number(strtr('$missed = 0; for ($i = 0; $i < KEYS; ++$i) { $missed += CACHE_fetch("FROM $i") !== ["FROM", $i]; } return $missed;', ['KEYS' => (string) $keys, 'CACHE' => $cache, 'FROM' => $from]));
    }
}
