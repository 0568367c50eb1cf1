<?php

declare(strict_types=1);

namespace Larder\Testing;

/** Keys that PSR-6 and PSR-16 require or forbid, by name. */
final class PsrKeys
{
    /** @return iterable<string, array{string}> */
    public static function allowed(): iterable
    {
        yield 'every letter that must be allowed' => [
            'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.',
        ];
        yield '64 characters' => [str_repeat('a', 64)];
        yield '300 characters' => [str_repeat('a', 300)];
        yield '65,535 characters' => [str_repeat('a', 65_535)];
        foreach (['0', '7', '-5', '007', '1.5', ' ', 'a b', 'ключ-ėąß', "NUL\0", "\xff", '..', '%_*?'] as $key) {
            yield 'beyond what must be allowed: ' . rawurlencode($key) => [$key]; // reports are XML
        }
    }

    /** @return iterable<string, array{string}> */
    public static function forbidden(): iterable
    {
        yield 'empty' => [''];
        yield 'longer than any store takes' => [str_repeat('a', 65_536)];
        foreach (str_split('{}()/\@:') as $reserved) {
            yield $reserved => [$reserved];
            yield $reserved . ' first' => [$reserved . 'key'];
            yield $reserved . ' inside' => ['a' . $reserved . "\n" . 'key'];
            yield $reserved . ' last' => [str_repeat('long', 100) . $reserved];
        }
    }

    /** @return iterable<string, array{mixed}> keys that are not strings, as arrays and iterables can contain */
    public static function noStrings(): iterable
    {
        foreach ([2, 2.5, true, false, null, ['array'], new \stdClass()] as $key) {
            yield get_debug_type($key) . ' ' . json_encode($key) => [$key];
        }
    }
}
