<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

/**
 * What sites keep in a cache: fragments of pages, rows, lists, options, posts and objects, of a few hundred bytes to
 * 100 KB. The sizes in extension/core-tests/replay/values.inc are those of the first KINDS * SIZES.
 */
final class MixedValue
{
    public const KINDS = 7;

    /** Different sizes of each kind. */
    public const SIZES = 8;

    /** Mean bytes of an entry of the engine that holds the value in PHP's own form. */
    public const BYTES = 19_400;

    private const TEXT = 'Larger pots keep their heat for longer, while a small one is poured out before it cools. '
        . 'Warm the pot first, use fresh water, and let it stand for three to five minutes. Green leaves need less '
        . 'heat than black ones: wait a little after the water has boiled. Glazed ware is easier to clean; iron '
        . 'stays warm the longest, but must be dried at once. Store the leaves in the dark, apart from coffee and '
        . 'spices, and buy no more than you drink within some months. ';

    /** The value of a key's number, always the same. Numbers that differ have values that differ. */
    public static function number(int $number): mixed
    {
        $size = intdiv($number, self::KINDS) % self::SIZES + 1;

        return match ($number % self::KINDS) {
            0 => self::text($number, 1_000 * $size),
            1 => ['text' => self::text($number, 60 * $size)] + self::product($number),
            2 => self::times(10 * $size, static fn(int $i): array => self::product($number + $i)),
            3 => self::options($number, 30 * $size),
            4 => self::times(4 * $size, static fn(int $i): \stdClass => self::post($number + $i)),
            5 => self::times(12 * $size, static fn(int $i): Product => Product::number($number + $i)),
            default => self::times(
                6 * $size,
                static fn(int $i): array => range($number + $i, $number + $i + 6 * $size),
            ),
        };
    }

    private static function text(int $from, int $bytes): string
    {
        return \sprintf('%d ', $from) . substr(
            str_repeat(self::TEXT, 2 + intdiv($bytes, \strlen(self::TEXT))),
            37 * $from % \strlen(self::TEXT),
            $bytes,
        );
    }

    /**
     * @template T
     * @param \Closure(int): T $make
     * @return list<T>
     */
    private static function times(int $times, \Closure $make): array
    {
        return array_map($make, range(1, $times));
    }

    /** @return array<string, mixed> */
    private static function product(int $number): array
    {
        return [
            'id' => $number,
            'sku' => \sprintf('TP-%06d', $number),
            'name' => 'Teapot ' . $number,
            'text' => self::text($number, 40 + $number % 50),
            'price' => 10 + $number % 4_000 / 100,
            'currency' => 'EUR',
            'in_stock' => $number % 3 > 0,
            'tags' => $number % 2 > 0 ? ['kitchen', 'tea'] : ['kitchen', 'tea', 'new'],
            'url' => \sprintf('/products/teapot-%d', $number),
        ];
    }

    /** @return array<string, string> */
    private static function options(int $number, int $count): array
    {
        $options = [];
        for ($i = 0; $i < $count; ++$i) {
            $options[\sprintf('plugin_%d_option_%d', $i % 12, $i)] = match ($i % 4) {
                0 => 'yes',
                1 => (string) ($number + $i),
                2 => self::text($number + $i, 20 + $i % 60),
                3 => serialize(['enabled' => true, 'limit' => $i, 'title' => self::text($i, 15)]),
            };
        }

        return $options;
    }

    /** As WordPress loads a row of posts. */
    private static function post(int $number): \stdClass
    {
        $date = gmdate('Y-m-d H:i:s', 1_700_000_000 + 3_600 * $number);

        return (object) [
            'ID' => $number,
            'post_author' => (string) ($number % 5),
            'post_date' => $date,
            'post_date_gmt' => $date,
            'post_content' => self::text($number, 300 + 97 * $number % 1_200),
            'post_title' => 'Post ' . $number,
            'post_excerpt' => '',
            'post_status' => 'publish',
            'comment_status' => 'open',
            'ping_status' => 'open',
            'post_password' => '',
            'post_name' => 'post-' . $number,
            'to_ping' => '',
            'pinged' => '',
            'post_modified' => $date,
            'post_modified_gmt' => $date,
            'post_content_filtered' => '',
            'post_parent' => 0,
            'guid' => 'https://example.org/?p=' . $number,
            'menu_order' => 0,
            'post_type' => 'post',
            'post_mime_type' => '',
            'comment_count' => (string) ($number % 30),
        ];
    }
}
