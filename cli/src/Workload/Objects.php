<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;

/** Objects, which the studies did not measure: a row of a database, fifty of them, a typed object. */
final class Objects implements Suite
{
    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = Stores::SHARED,
        private readonly int $milliseconds = 10,
    ) {}

    public static function subject(
        string $store,
        ?string $connection,
        ?string $value,
        ?int $bytes,
        string $operation,
    ): Subject {
        return new Subject('objects: get and set', $store, $connection, $value, $bytes, $operation);
    }

    public function blocks(\Closure $notMeasured): array
    {
        $targets = Stores::targets(
            $this->locations,
            $this->stores,
            static fn(string $store, ?string $connection): Subject
                => self::subject($store, $connection, null, null, 'get'),
            $notMeasured,
        );

        return array_map(
            fn(Target $target): TaskBlock => new TaskBlock(
                new ObjectsTask($target->store, $target->connection, $target->address, $this->milliseconds),
                $target->php,
            ),
            $targets,
        );
    }
}
