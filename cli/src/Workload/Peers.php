<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Drivers;
use Larder\Internal\Driver\Connection;

/** The same stores through other libraries: the cost that each library adds. */
final class Peers implements Suite
{
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly StoreFilter $only = new StoreFilter(),
        private readonly int $milliseconds = 10,
    ) {}

    public static function subject(
        Peer $peer,
        string $store,
        ?string $connection,
        ?Value $value,
        string $operation,
    ): Subject {
        return new Subject(
            'peers: through their libraries',
            $peer->value,
            $connection,
            $value?->name,
            $value?->bytes,
            $operation,
            settings: ['on' => $store],
        );
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        foreach (Peer::cases() as $peer) {
            $subject = static fn(string $store, ?string $connection): Subject
                => self::subject($peer, $store, $connection, null, 'get');
            foreach (Stores::targets(
                $this->locations,
                $this->only->of($peer->stores()),
                $subject,
                $notMeasured,
            ) as $target) {
                $name = strtr($peer->value, '/', '-');
                $dsn = Stores::elsewhere($target, $name, $this->locations);
                $path = match (true) {
                    Catalog::needsServer($target->store) => $this->locations
                        ->server(Drivers::variants()[$target->store]->server)
                        ->location(Connection::Socket),
                    $target->connection !== null => Drivers::parse($dsn)->path(),
                    default => '',
                };
                $blocks[] = new TaskBlock(
                    new PeerTask($peer, $target->store, $target->connection, $dsn, $path, $this->milliseconds),
                    $target->php,
                );
            }
        }

        return $blocks;
    }
}
