<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Http\ReadPerRequest;
use Larder\Cli\Http\SailPages;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Study\Study2008;
use Larder\Cli\Study\Study2013;
use Larder\Cli\Study\Study2016;
use Larder\Cli\Study\StudySail;
use Larder\Cli\Workload\Entries;
use Larder\Cli\Workload\Latency;
use Larder\Cli\Workload\Memory;
use Larder\Cli\Workload\Objects;
use Larder\Cli\Workload\Peers;
use Larder\Cli\Workload\Pressure;
use Larder\Cli\Workload\Rate;
use Larder\Cli\Workload\Safety;
use Larder\Cli\Workload\Size;
use Larder\Cli\Workload\Stampede;
use Larder\Cli\Workload\Stores;
use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * The suites that can be chosen by name: `larder compare --study 2013`, `--workload latency`. To add one, add a line
 * here.
 */
final class Suites
{
    /** Stands for all names of a kind. */
    public const ALL = 'all';

    /**
     * @return array<string, array<int|string, list<\Closure(StoreLocations, StoreFilter): Suite>>> by kind (the
     *         option's name) and name
     */
    private static function known(): array
    {
        return [
            'study' => [
                '2008' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new Study2008($locations, $only),
                    static fn(StoreLocations $locations, StoreFilter $only): Suite
                        => new ReadPerRequest($locations, $only),
                ],
                '2013' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new Study2013($locations, $only),
                ],
                '2016' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new Study2016($locations, $only),
                ],
                'sail' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new StudySail($locations, $only),
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new SailPages($locations, $only),
                ],
            ],
            'workload' => [
                'latency' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Latency(
                    $locations,
                    $only->of(Stores::SHARED),
                )],
                'rate' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Rate(
                    $locations,
                    $only->of(Rate::STORES),
                )],
                'memory' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Memory(
                    $locations,
                    $only->of(Stores::SHARED),
                )],
                'pressure' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite
                        => new Pressure($locations, $only->of(Size::stores())),
                    static fn(StoreLocations $locations, StoreFilter $only): Suite
                        => new Entries($locations, $only->of(Entries::STORES)),
                ],
                'objects' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Objects(
                    $locations,
                    $only->of(Stores::SHARED),
                )],
                'peers' => [
                    static fn(StoreLocations $locations, StoreFilter $only): Suite => new Peers($locations, $only),
                ],
                'stampede' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Stampede(
                    $locations,
                    $only->of(Stores::SHARED),
                )],
                'safety' => [static fn(StoreLocations $locations, StoreFilter $only): Suite => new Safety(
                    $locations,
                    $only->of(Stores::SHARED),
                )],
            ],
        ];
    }

    /** @return list<string> */
    public static function kinds(): array
    {
        return array_keys(self::known());
    }

    /** @return list<string> */
    public static function names(string $kind): array
    {
        return array_map(strval(...), array_keys(self::known()[$kind]));
    }

    /**
     * @param string $kind one of kinds()
     * @param string $name one of names(), several separated by commas, or "all"
     * @return list<Suite>
     * @throws InvalidOptionException naming what is known
     */
    public static function named(
        string $kind,
        string $name,
        StoreLocations $locations,
        StoreFilter $only = new StoreFilter(),
    ): array {
        $known = self::known()[$kind];
        $suites = [];
        foreach ($name === self::ALL ? array_keys($known) : array_map(trim(...), explode(',', $name)) as $each) {
            $makers = $known[$each] ?? throw new InvalidOptionException(\sprintf(
                '--%s: %s is not known. Known: %s.',
                $kind,
                $each,
                implode(', ', [...self::names($kind), self::ALL]),
            ));
            foreach ($makers as $make) {
                $suites[] = $make($locations, $only);
            }
        }

        return $suites;
    }
}
