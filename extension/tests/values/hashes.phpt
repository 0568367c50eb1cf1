--TEST--
Fetched strings carry PHP's hash
--DESCRIPTION--
An array finds a string by its hash first: with a wrong one the key would not be there.
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$patterns = [
    'ASCII' => 'abcdefghijklmnopqrstuvwxyz0123456789.',
    'high' => implode('', array_map(chr(...), range(128, 255))),
    'mixed' => "\x00\x7f\x80\xff\x01\xfe\x81a",
    'highest' => "\xff",
    'sign' => "\x80",
];
$wrong = $tried = 0;
foreach ($patterns as $name => $pattern) {
    $text = str_repeat($pattern, intdiv(1100, strlen($pattern)) + 2);
    for ($length = 0; $length <= 1024; $length++) {
        // one without a hash, as strings are that a program has just made
        larder_store('new', substr($text, $length % 7, $length));
        $same = substr($text, $length % 7, $length);
        $array = [$same => true];
        $tried++;
        if (!isset($array[larder_fetch('new')])) {
            $wrong++;
            echo "$name, length $length\n";
        }
    }
}
echo "$tried tried, $wrong wrong\n";
?>
--EXPECT--
5125 tried, 0 wrong
