<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;

/** A stampede on an origin of 50 ms: many processes miss the same value at once, as by `larder stampede`. */
final class Stampede implements Suite
{
    /** By operation: the two names in the output of bin/stampede.php, and the factor to the unit. */
    public const OPERATIONS = [
        'computations' => ['cold', 'computations', 1.0],
        'last answer' => ['cold', 'last', 1e9],
        'computations, one killed' => ['killed', 'computations', 1.0],
        'last answer after a kill' => ['killed', 'last', 1e9],
    ];
    private const SECONDS = 0.05;
    private const LEASE = 0.5;

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = Stores::SHARED,
        private readonly int $processes = 20,
    ) {}

    public static function subject(
        string $store,
        ?string $connection,
        string $operation,
        int $processes,
        float $seconds = self::SECONDS,
    ): Subject {
        return new Subject(
            \sprintf('stampede: %d processes, origin of %g ms', $processes, 1_000 * $seconds),
            $store,
            $connection,
            null,
            null,
            $operation,
            str_starts_with($operation, 'computations') ? Unit::Count : Unit::Nanoseconds,
        );
    }

    public function blocks(\Closure $notMeasured): array
    {
        $targets = Stores::targets(
            $this->locations,
            $this->stores,
            fn(string $store, ?string $connection): Subject
                => self::subject($store, $connection, 'computations', $this->processes),
            $notMeasured,
        );

        return array_map(
            fn(Target $target): StampedeBlock => new StampedeBlock(
                $target,
                $this->locations->disk('stampede-' . $target->store),
                $this->processes,
                self::SECONDS,
                self::LEASE,
            ),
            $targets,
        );
    }
}
