<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\NotMeasured;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\StoreBlock;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class CatalogTest extends TestCase
{
    /** Longer than the default timeout of DSNs. */
    private const FROZEN_MICROSECONDS = 2_000_000;

    private StoreLocations $places;

    protected function setUp(): void
    {
        $this->places = new StoreLocations();
    }

    protected function tearDown(): void
    {
        $this->places->close();
    }

    /** @return iterable<string, array{string, string}> the store, and the directory of its server */
    public static function servers(): iterable
    {
        yield 'redis' => ['redis', 'redis'];
        yield 'predis' => ['predis', 'redis'];
        yield 'memcached' => ['memcached', 'memcached'];
        yield 'memcache' => ['memcache', 'memcached'];
        yield 'mysql' => ['mysql', 'mariadb'];
        yield 'mysql-memory' => ['mysql-memory', 'mariadb'];
    }

    /** A server that stands still on an overcommitted host must not look like a store that loses values. */
    #[DataProvider('servers')]
    public function testAServerThatStandsStillForSecondsLosesNothing(string $store, string $name): void
    {
        $subjects = array_values(array_filter(
            (new Catalog($this->places))->subjects($store),
            static fn(Target|NotMeasured $subject): bool
                => $subject instanceof Target && $subject->connection === 'tcp' && $subject->settings === [],
        ));
        $directory = $this->places->disk($name);
        $servers = self::processesIn($directory);
        self::assertNotSame([], $servers);
        $plan = new Plan(
            [Value::all()['10b'], Value::all()['1k']],
            Operation::cases(),
            new TimeBudget(5_000_000, 250_000_000),
        );
        $samples = [];
        // Samples arrive after each of two gets and two sets, while the next one is measured. So the server stands
        // still during the second get and the first set.
        $tell = static function (Sample $sample) use (&$samples, $servers): void {
            $samples[] = $sample;
            if (\count($samples) <= 2) {
                array_map(static fn(int $server): bool => posix_kill($server, \SIGSTOP), $servers);
                usleep(self::FROZEN_MICROSECONDS);
                array_map(static fn(int $server): bool => posix_kill($server, \SIGCONT), $servers);
            }
        };
        foreach ($subjects as $target) {
            (new StoreBlock($target, $plan))->run($tell);
        }

        self::assertCount(4, $samples);
        foreach ($samples as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem], $sample->subject->key());
        }
    }

    /** @return list<int> */
    private static function processesIn(string $directory): array
    {
        $processes = [];
        foreach ((array) glob('/proc/[0-9]*') as $process) {
            if (str_starts_with((string) @readlink($process . '/cwd') . '/', $directory . '/')) {
                $processes[] = (int) basename((string) $process);
            }
        }

        return $processes;
    }
}
