<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Internal\Process\User;

/**
 * The figures of the engine in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/),
 * by `larder top --prometheus`, and for a page that Prometheus asks: docs/operate.md.
 */
final class Prometheus
{
    /** The figures of this process's segment. Without one there is only larder_up, which is 0. */
    public static function text(): string
    {
        $isAvailable = Engine::whyNot() === '';
        $labels = ['segment' => (string) ini_get('larder.segment'), 'user' => User::name()];
        $text = self::metric('up', 'gauge', 'Whether the cache is available.', [[[], (int) $isAvailable]], $labels);
        if (!$isAvailable) {
            return $text;
        }
        $info = larder_info();
        /** @var array{
         *     size: int, hits: int, misses: int, stores: int, deletes: int, clears?: int,
         *     evictions: array{room: int, expired: int, index: int, unread?: int, seconds?: int},
         *     evicted_ages?: list<int>,
         *     refusals: array{size: int, room: int}, entries: int,
         *     memory: array{page_size: int, free: int, committed: int}, pins: array{pages: int},
         *     processes: array{attached: int},
         * } $info
         */
        $page = $info['memory']['page_size'];
        $evictions = array_intersect_key($info['evictions'], ['room' => 0, 'expired' => 0, 'index' => 0]);
        $memory = [
            'size' => $info['size'],
            'committed' => $info['memory']['committed'],
            'free' => $info['memory']['free'] * $page,
            'held' => $info['pins']['pages'] * $page,
        ];
        $gets = ['hit' => $info['hits'], 'miss' => $info['misses']];

        $metrics = [
            ['gets_total', 'counter', 'Gets, by result.', self::by('result', $gets)],
            ['stores_total', 'counter', 'Stored values.', [[[], $info['stores']]]],
            ['deletes_total', 'counter', 'Deleted entries.', [[[], $info['deletes']]]],
            ['clears_total', 'counter', 'Calls that deleted all.', [[[], $info['clears'] ?? 0]]],
            ['evictions_total', 'counter', 'Evicted entries, by cause.', self::by('cause', $evictions)],
            [
                'unread_evictions_total',
                'counter',
                'Entries evicted for memory that nobody had read, but once just after they were stored.',
                [[[], $info['evictions']['unread'] ?? 0]],
            ],
            ['refused_total', 'counter', 'Refused stores, by reason.', self::by('reason', $info['refusals'])],
            ['entries', 'gauge', 'Entries in the cache.', [[[], $info['entries']]]],
            [
                'memory_bytes',
                'gauge',
                'Memory: of the segment, taken so far, without entries, held by readers.',
                self::by('state', $memory),
            ],
            ['processes', 'gauge', 'Processes that use the cache.', [[[], $info['processes']['attached']]]],
        ];
        foreach ($metrics as [$name, $type, $help, $samples]) {
            $text .= self::metric($name, $type, $help, $samples, $labels);
        }

        $prediction = Prediction::read();
        if ($prediction !== null) {
            $text .= self::metric(
                'predicted_hit_ratio',
                'gauge',
                'Share of gets that would hit with so many times the memory.',
                array_map(static fn(array $each): array => [
                    ['factor' => (string) round($each['size'] / $info['size'], 2)],
                    round($each['hit_rate'], 4),
                ], $prediction->sizes),
                $labels,
            );
        }

        // An engine that was built before these runs until a restart.
        $ages = $info['evicted_ages'] ?? [];

        return $ages === [] ? $text : $text . self::ages($ages, $info['evictions']['seconds'] ?? 0, $labels);
    }

    /**
     * @param list<int> $ages
     * @param array<string, string> $labels
     */
    private static function ages(array $ages, int $seconds, array $labels): string
    {
        $name = 'eviction_age_seconds';
        $text = self::head($name, 'histogram', 'Time since entries evicted for memory were stored or moved.');
        $sum = 0;
        foreach ($ages as $doublings => $entries) {
            $sum += $entries;
            $most = $doublings < \count($ages) - 1 ? (string) 2 ** $doublings : '+Inf';
            $text .= self::line("{$name}_bucket", $labels + ['le' => $most], $sum);
        }

        return $text . self::line("{$name}_sum", $labels, $seconds) . self::line("{$name}_count", $labels, $sum);
    }

    /**
     * @param array<string, int> $figures
     * @return list<array{array<string, string>, int}>
     */
    private static function by(string $label, array $figures): array
    {
        $samples = [];
        foreach ($figures as $value => $figure) {
            $samples[] = [[$label => $value], $figure];
        }

        return $samples;
    }

    /**
     * @param list<array{array<string, string>, int|float}> $samples
     * @param array<string, string> $labels
     */
    private static function metric(string $name, string $type, string $help, array $samples, array $labels): string
    {
        $text = self::head($name, $type, $help);
        foreach ($samples as [$own, $figure]) {
            $text .= self::line($name, $labels + $own, $figure);
        }

        return $text;
    }

    private static function head(string $name, string $type, string $help): string
    {
        return "# HELP larder_$name $help\n# TYPE larder_$name $type\n";
    }

    /** @param array<string, string> $labels */
    private static function line(string $name, array $labels, int|float $figure): string
    {
        $pairs = [];
        foreach ($labels as $label => $value) {
            $pairs[] = \sprintf('%s="%s"', $label, strtr(Text::utf8($value), ['\\' => '\\\\', '"' => '\\"', "\n" => '\\n']));
        }

        return \sprintf("larder_%s{%s} %s\n", $name, implode(',', $pairs), $figure);
    }
}
