<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

use Larder\Cli\Compare\StoreLocations;
use Symfony\Component\Console\Exception\InvalidOptionException;

/** The suites that people ask for by name: `larder compare --study 2013`, `--workload latency`. A new one is a line here. */
final class Suites
{
    /** Asks for all names of a kind. */
    public const ALL = 'all';

    /** @return array<string, array<int|string, list<\Closure(StoreLocations): Suite>>> by kind (the option's name) and name */
    private static function known(): array
    {
        return [
            // '2013' => [static fn(StoreLocations $locations): Suite => new Study2013($locations)],
            'study' => [],
            'workload' => [],
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
    public static function named(string $kind, string $name, StoreLocations $locations): array
    {
        $known = self::known()[$kind];
        $suites = [];
        foreach ($name === self::ALL ? array_keys($known) : array_map(trim(...), explode(',', $name)) as $each) {
            $makers = $known[$each] ?? throw new InvalidOptionException(\sprintf('--%s: %s is not known. Known: %s.', $kind, $each, implode(', ', [...self::names($kind), self::ALL])));
            foreach ($makers as $make) {
                $suites[] = $make($locations);
            }
        }

        return $suites;
    }
}
