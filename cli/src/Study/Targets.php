<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\NotMeasured;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\Php;
use Larder\Drivers;

/**
 * The stores of the catalog, with options of a study. If the blocks are pinned to one core, the servers are too: with
 * two cores, a round trip mostly measures how long the machine takes to wake an idle core.
 */
final class Targets
{
    /** @var array<string, list<Target|NotMeasured>> by store */
    private array $found = [];

    private readonly Catalog $catalog;

    public function __construct(StoreLocations $locations, public readonly bool $isPinned = true)
    {
        $this->catalog = new Catalog($locations->others($isPinned ? 'pinned' : 'unpinned'));
    }

    /**
     * Starts the server that the store needs.
     *
     * @param array<string, string> $options of the DSN
     * @param array<string, string> $ini further settings of the process, besides those of the store
     * @param array<string, string> $settings settings that distinguish the catalog's targets
     * @throws Unavailable
     */
    public function find(
        string $store,
        ?string $connection,
        array $options = [],
        array $ini = [],
        array $settings = [],
    ): Target {
        foreach ($this->subjects($store) as $target) {
            if (
                !\in_array($target->connection, [null, $connection], true)
                || $target->connection !== null && $target->settings !== $settings
            ) {
                continue;
            }
            if ($target instanceof NotMeasured) {
                throw new Unavailable($target->reason);
            }
            if ($target->connection === $connection) {
                return new Target(
                    $store,
                    $connection,
                    self::withOptions($target->address, $options),
                    $target->kind,
                    $ini === [] ? $target->php : new Php([...Drivers::variants()[$store]->ini, ...$ini]),
                    $settings,
                );
            }
        }

        throw new \LogicException(\sprintf(
            'the catalog has no %s',
            implode(' ', [$store, $connection, ...array_values($settings)]),
        ));
    }

    /**
     * A store in a server that the catalog does not start.
     *
     * @param array<string, string> $options of the DSN
     */
    public function at(string $store, string $location, string $connection, array $options = []): Target
    {
        $target = $this->find($store, 'tcp');
        $parts = explode('?', $target->address, 2);

        return new Target(
            $store,
            $connection,
            self::withOptions(\sprintf('%s://%s?%s', Drivers::schemeOf($store), $location, $parts[1] ?? ''), $options),
            $target->kind,
            $target->php,
        );
    }

    /** @return list<Target|NotMeasured> */
    private function subjects(string $store): array
    {
        $subjects = fn(): array => $this->catalog->subjects($store);

        return $this->found[$store] ??= $this->isPinned ? CpuAffinity::pinned($subjects) : $subjects();
    }

    /** @param array<string, string> $options */
    private static function withOptions(string $dsn, array $options): string
    {
        return $options === [] ? $dsn : $dsn . (str_contains($dsn, '?') ? '&' : '?') . http_build_query($options);
    }
}
