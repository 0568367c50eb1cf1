<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** Fetching and storing objects in a loop on the command line. */
final class ObjectRows
{
    /** @return list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach (self::values() as $name => [$what, $value, $ofFetch, $ofStore]) {
            foreach (['fetch' => $ofFetch, 'store' => $ofStore] as $operation => $ofRow) {
                $rows[] = new Row(
                    "$operation-$name",
                    "$operation $what",
                    'APCu, igbinary',
                    $ofRow,
                    ['apc.serializer' => 'igbinary'],
                    static fn(int $rounds): array => self::pair($operation, $value(), $rounds),
                );
            }
        }

        return $rows;
    }

    /**
     * @return array<string, array{string, \Closure(): mixed, float, float}> description, creation, bounds of a fetch
     *         and of a store
     */
    private static function values(): array
    {
        return [
            'row' => ['a stdClass row of 23 strings', static fn(): object => self::row(1), 0.25, 0.7],
            'rows' => ['50 such rows', static fn(): array => array_map(self::row(...), range(1, 50)), 0.25, 0.7],
            'dto' => ['a typed object with eight properties and another of its class', self::dto(...), 0.25, 0.7],
            'dates' => ['50 entities with a date in each', self::entities(...), 0.85, 1.0],
            'graph' => ['a graph of 1,000 objects', self::graph(...), 0.35, 0.7],
        ];
    }

    private static function row(int $number): object
    {
        $row = [];
        for ($column = 0; $column < 23; ++$column) {
            $row["post_column_$column"] = str_repeat(\chr(97 + $column), 8 + $column) . "-$number";
        }

        return (object) $row;
    }

    private static function dto(): object
    {
        return new Dto(7, 'A name of somebody', null, 2.5, true, ['a', 'bc', 'def'], 'sec', new Dto(8, 'parent', 'p@x', 1.5, false, [], 'q', null));
    }

    /** @return list<Entity> */
    private static function entities(): array
    {
        return array_map(
            static fn(int $number): Entity => new Entity($number, "name $number", new \DateTimeImmutable("2024-01-01 12:00:00 +$number minutes"), ['a', "tag $number"]),
            range(1, 50),
        );
    }

    /** @return list<Node> the nodes of a binary tree */
    private static function graph(): array
    {
        $nodes = [];
        for ($number = 0; $number < 1_000; ++$number) {
            $nodes[] = new Node($number, $nodes[intdiv($number - 1, 2)] ?? null);
        }

        return $nodes;
    }

    /** @return non-empty-list<array{float, float}> */
    private static function pair(string $operation, mixed $value, int $rounds): array
    {
        larder_store('figure', $value);
        apcu_store('figure', $value);
        $right = serialize($value);
        if (serialize(larder_fetch('figure')) !== $right || serialize(apcu_fetch('figure')) !== $right) {
            throw new \RuntimeException('a value came back changed');
        }
        if ($operation === 'store') {
            return Pair::measure(
                static function (int $times) use ($value): void {
                    for ($i = 0; $i < $times; $i++) {
                        larder_store('figure', $value);
                    }
                },
                static function (int $times) use ($value): void {
                    for ($i = 0; $i < $times; $i++) {
                        apcu_store('figure', $value);
                    }
                },
                $rounds,
            );
        }

        return Pair::measure(
            static function (int $times): void {
                for ($i = 0; $i < $times; $i++) {
                    larder_fetch('figure');
                }
            },
            static function (int $times): void {
                for ($i = 0; $i < $times; $i++) {
                    apcu_fetch('figure');
                }
            },
            $rounds,
        );
    }
}
