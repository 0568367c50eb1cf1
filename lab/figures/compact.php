<?php

/*
 * Compares larder.compact=1 with igbinary: bytes of a value; a store, with one in PHP's own form; a fetch, with
 * igbinary_unserialize(): processor time in microseconds. All alternate in one process; the ratios are medians of
 * pairs. Then a full cache with larder.compact=0, 1 and auto: the share of requests that hit, and of hits by a pointer, in
 * percent. Only prints.
 *
 *   lab/figures/run compact [rounds]
 */

declare(strict_types=1);

final class CompactPost
{
    /** @param array<string, mixed> $fields */
    public function __construct(
        public int $id = 0,
        public string $title = '',
        public ?self $parent = null,
        public array $fields = [],
    ) {}
}

/** @return array<string, Closure(): mixed> */
function compact_values(): array
{
    $words = explode(' ', 'the cache keeps what a page asks for often and drops what nobody has read since it was stored in memory');
    $text = static function (int $seed, int $length) use ($words): string {
        $text = '';
        for (; strlen($text) < $length; $seed = $seed * 1_103_515_245 + 12_345 & 0x7fffffff) {
            $text .= $words[($seed >> 8) % count($words)] . ' ';
        }

        return substr($text, 0, $length);
    };
    $rows = static fn(int $count, int $columns): array => array_map(static fn(int $row): array => array_combine(
        array_map(static fn(int $column): string => "column_$column", range(1, $columns)),
        array_map(static fn(int $column): int|string|null => match ($column % 4) {
            0 => $row * $column,
            1 => "value $column",
            2 => "value $column of $row",
            default => $column % 3 === 0 ? null : $row % 2,
        }, range(1, $columns)),
    ), range(1, $count));
    $class = static fn(int $i): string => 'App\\Part' . $i % 40 . "\\Service$i";

    return [
        'table 50 x 50' => static fn(): array => array_map(static fn(int $row): array => array_combine(
            array_map(static fn(int $column): string => "column $column", range(0, 49)),
            array_map(static fn(int $column): string => 'value ' . ($row * 50 + $column) % 1000, range(0, 49)),
        ), range(0, 49)),
        '20 products' => static fn(): array => array_map(static fn(int $i): array => [
            'id' => $i, 'sku' => sprintf('SKU-%06d', $i * 7919), 'name' => "Product number $i", 'maker' => 'Maker ' . $i % 7,
            'price' => ($i * 7919 % 10_000) / 100, 'url' => "/products/$i", 'stock' => $i * 31 % 400, 'text' => $text($i, 80),
            'tags' => ['new', 'tag' . $i % 5], 'active' => $i % 5 !== 0,
        ], range(1, 20)),
        '100 rows of 23 columns' => static fn(): array => $rows(100, 23),
        'config' => static fn(): array => array_combine(
            array_map(static fn(int $i): string => "app.service_$i", range(0, 499)),
            array_map(static fn(int $i): array => [
                'class' => $class($i), 'arguments' => ['@app.service_' . $i * 7 % 500, '@logger', "%kernel.project_dir%/var/$i"],
                'tags' => [['name' => 'kernel.event_listener', 'event' => 'event.' . $i % 60, 'priority' => $i % 10]],
                'public' => $i % 9 === 0, 'shared' => true,
            ], range(0, 499)),
        ),
        '300 routes' => static fn(): array => array_combine(
            array_map(static fn(int $i): string => "route_$i", range(0, 299)),
            array_map(static fn(int $i): array => [
                ['id', '_locale'], ['_controller' => 'App\\Controller\\Controller' . $i % 40 . "::action$i", '_format' => 'html'],
                ['id' => '\d+', '_locale' => 'en|de|fr'],
                [['variable', '/', '[^/]++', 'id', true], ['text', '/part' . $i % 40 . "/action$i"], ['variable', '/', 'en|de|fr', '_locale']], [], [],
            ], range(0, 299)),
        ),
        '300 options' => static fn(): array => array_combine(
            array_map(static fn(int $i): string => "option_name_$i", range(0, 299)),
            array_map(static fn(int $i): string => $text($i, 1 + $i % 70), range(0, 299)),
        ),
        '50 posts, stdClass' => static fn(): array => array_map(static fn(int $i): stdClass => (object) [
            'ID' => $i, 'post_author' => (string) ($i % 5), 'post_date' => "2026-11-$i 10:00:00", 'post_content' => $text($i, 500),
            'post_title' => $text($i, 30), 'post_status' => 'publish', 'comment_status' => 'open', 'post_name' => "post-$i",
            'post_parent' => 0, 'guid' => "https://example.org/?p=$i", 'menu_order' => 0, 'post_type' => 'post', 'filter' => 'raw',
        ], range(1, 50)),
        '2,000 translations' => static fn(): array => array_combine(
            array_map(static fn(int $i): string => 'messages.page_' . $i % 80 . ".label_$i", range(0, 1999)),
            array_map(static fn(int $i): string => "Text $i in another language" . str_repeat(' and more', $i % 4), range(0, 1999)),
        ),
        'metadata of 20 fields' => static fn(): array => ['name' => 'App\\Entity\\Order', 'fields' => array_combine(
            array_map(static fn(int $i): string => "field$i", range(1, 20)),
            array_map(static fn(int $i): array => [
                'fieldName' => "field$i", 'columnName' => "field_$i", 'type' => $i % 3 > 0 ? 'string' : 'integer', 'length' => 255, 'unique' => false,
                'nullable' => $i % 2 === 0, 'precision' => null, 'scale' => null, 'options' => [], 'declared' => 'App\\Entity\\Base',
            ], range(1, 20)),
        )],
        '1,000 objects' => static fn(): array => array_map(static fn(int $i): CompactPost
            => new CompactPost($i, "Title $i", null, ['kind' => 'post', 'size' => $i % 100]), range(1, 1000)),
        'row of 8 fields' => static fn(): array => ['id' => 4711, 'name' => 'Some name', 'email' => 'name@example.org', 'active' => true,
            'created' => 1_790_000_000, 'score' => 12.75, 'role' => 'editor', 'parent' => null],
        '1,000 integers' => static fn(): array => range(1, 1000),
    ];
}

/** Processor time of this process in nanoseconds. */
function processor_time(): float
{
    /** @var array<string, int> $usage */
    $usage = getrusage();

    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

/** @param callable(): mixed $call */
function nanoseconds(int $calls, callable $call): float
{
    $begin = processor_time();
    for ($i = 0; $i < $calls; $i++) {
        $call();
    }

    return (processor_time() - $begin) / $calls;
}

function size_of(string $key): int
{
    $size = larder_key_info($key)['size'] ?? null;

    return is_int($size) ? $size : throw new RuntimeException("'$key' was not stored");
}

/** @param list<float> $numbers */
function median(array $numbers): float
{
    sort($numbers);

    return $numbers[intdiv(count($numbers), 2)] ?? 0.0;
}

if (!extension_loaded('igbinary')) {
    throw new RuntimeException('igbinary is not loaded; install php-igbinary');
}
$rounds = (int) ($argv[1] ?? 101);
printf("%-24s %9s %9s %9s %6s %9s %6s %9s %9s %6s\n", 'value', 'serialize', 'igbinary', 'compact', 'ratio', 'store', 'ratio', 'fetch', 'igbinary', 'ratio');
foreach (compact_values() as $name => $make) {
    $value = $make();
    ini_set('larder.compact', '1');
    larder_store('none', null);
    larder_store('kept', $value);
    if (serialize(larder_fetch('kept')) !== serialize($value)) {
        throw new RuntimeException("'$name' was changed");
    }
    $compact = size_of('kept') - size_of('none');
    $igbinary = (string) igbinary_serialize($value);
    $calls = max(20, min(4000, intdiv(1_000_000, strlen($igbinary))));
    $times = ['store' => [], 'fetch' => [], 'igbinary' => [], 'store ratio' => [], 'fetch ratio' => []];
    for ($round = 0; $round < $rounds; $round++) {
        ini_set('larder.compact', '0');
        $pointers = nanoseconds($calls, static fn() => larder_store('stored', $value));
        ini_set('larder.compact', '1');
        $times['store'][] = $store = nanoseconds($calls, static fn() => larder_store('stored', $value));
        $times['store ratio'][] = $store / $pointers;
        $times['fetch'][] = $fetch = nanoseconds($calls, static fn() => larder_fetch('kept'));
        $times['igbinary'][] = $unserialize = nanoseconds($calls, static fn() => igbinary_unserialize($igbinary));
        $times['fetch ratio'][] = $fetch / $unserialize;
    }
    $medians = array_map(static fn(array $figures): float => $figures === [] ? NAN : median($figures), $times);
    printf(
        "%-24s %9d %9d %9d %6.2f %9.2f %6.2f %9.2f %9.2f %6.2f\n",
        $name,
        strlen(serialize($value)),
        strlen($igbinary),
        $compact,
        $compact / strlen($igbinary),
        $medians['store'] / 1e3,
        $medians['store ratio'],
        $medians['fetch'] / 1e3,
        $medians['igbinary'] / 1e3,
        $medians['fetch ratio'],
    );
}

/**
 * Zipf's law with an exponent of 0.99: more ranks than its sums are below the number wanted.
 *
 * @param non-empty-list<float> $sums of the first weights
 */
function rank(array $sums, float $wanted): int
{
    $low = 0;
    $high = count($sums) - 1;
    while ($low < $high) {
        $middle = $low + $high >> 1;
        if ($sums[$middle] < $wanted) {
            $low = $middle + 1;
        } else {
            $high = $middle;
        }
    }

    return $low;
}

/**
 * Requests for arrays that take so many times the memory in PHP's form. The first third is not counted.
 *
 * @param list<array<array-key, mixed>> $values
 * @return array{float, float} hits in percent, and of these by a pointer in percent
 */
function replay(int $times, array $values, string $form): array
{
    ini_set('larder.compact', '0');
    $sizes = array_map(static fn(array $value): int => (int) larder_store('sized', $value) * size_of('sized'), $values);
    larder_clear();
    ini_set('larder.compact', $form);
    $keys = intdiv($times * (64 << 20) * count($values), array_sum($sizes));
    $sum = 0.0;
    $sums = [];
    for ($i = 1; $i <= $keys; $i++) {
        $sums[] = $sum += $i ** -0.99;
    }
    $random = new Random\Randomizer(new Random\Engine\Mt19937(7));
    $order = $random->shuffleArray(range(0, $keys - 1)); // the size does not follow from the rank
    $requests = 40 * $keys;
    $hits = $pointers = 0;
    for ($request = 0; $request < $requests && $sums !== []; $request++) {
        $key = $order[rank($sums, $random->getInt(0, 1 << 50) / (1 << 50) * $sum)];
        if (larder_fetch("k$key") === null) {
            larder_store("k$key", $values[$key % count($values)]);
        } elseif ($request > $requests / 3) {
            $hits++;
            $pointers += (int) (size_of("k$key") > 0.8 * $sizes[$key % count($values)]);
        }
    }

    return [100 * $hits / ($requests - $requests / 3), 100 * $pointers / $hits];
}

$all = compact_values();
$values = array_map(
    static fn(string $name): array => (array) $all[$name](),
    ['row of 8 fields', 'row of 8 fields', 'row of 8 fields', '20 products', '20 products', '300 options', 'metadata of 20 fields', 'table 50 x 50'],
);
printf("\n%-24s %9s %9s %9s\n", 'times the memory', 'compact', 'hits', 'pointers');
foreach ([2, 4, 10] as $times) {
    foreach (['0', '1', 'auto'] as $form) {
        printf("%-24d %9s %9.2f %9.1f\n", $times, $form, ...replay($times, $values, $form));
    }
}
