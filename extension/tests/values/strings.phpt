--TEST--
Strings of every length with all bytes are unchanged
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '64M']);

come_back(function () {
    yield 'empty' => '';
    for ($byte = 0; $byte < 256; $byte++) {
        yield "byte $byte" => chr($byte);
    }
    $all = implode('', array_map(chr(...), range(0, 255)));
    for ($length = 2; $length < 300; $length++) {
        yield "length $length" => substr($all . $all, 7, $length);
    }
    foreach ([1 << 10, 1 << 14, (1 << 15) - 25, 1 << 15, 1 << 16, 1 << 20, 3 << 20] as $length) {
        yield "length $length" => substr(str_repeat(strrev($all), intdiv($length, 256) + 1), 0, $length);
        yield "ASCII, length $length" => substr(str_repeat('The quick brown fox. ', intdiv($length, 20) + 1), 0, $length);
    }
    yield 'zeros' => str_repeat("\0", 1000);
    yield 'UTF-8' => str_repeat("Zwölf Boxkämpfer, 日本語, \u{10FFFF}\u{1F980} ", 50);
    yield 'cut UTF-8' => substr(str_repeat('ä', 50), 0, 99);
    yield 'surrogate' => "abc\xED\xA0\x80";
    yield 'overlong' => "abc\xC0\x80";
    yield 'Latin-1' => "Zw\xF6lf";
    yield 'a number' => '12';
    yield 'a literal' => 'a string that the compiler has made';
    yield 'inside' => ['', 'a', "\0", $all, 'ä', 'key' => ['' => 'x', 'y' => '']];
});
?>
--EXPECT--
all came back
