--TEST--
larder_last_error() tells why a value was refused, and its message which larder.size accepts it
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '64M']);

function told(mixed $result): void
{
    static $names = [];
    foreach ($names === [] ? get_defined_constants(true)['larder'] : [] as $name => $number) {
        if (str_starts_with($name, 'LARDER_ERROR_')) {
            $names[$number] = $name;
        }
    }
    echo var_export($result, true), ' ', $names[larder_last_error()], ' ', larder_last_error_msg(), "\n";
}

told(null);
// nothing is refused: it does not apply
larder_store('n', 1);
told(larder_add('n', 2));
told(larder_replace('none', 2));
told(larder_touch('none', 2));
told(larder_delete('none'));
told(larder_cas('n', 5, 6));
told(larder_cas('none', 5, 6));
// counting
told(larder_increment('n', PHP_INT_MAX));
told(larder_decrement('n', PHP_INT_MAX) === 1 - PHP_INT_MAX && !larder_decrement('n', PHP_INT_MAX));
foreach (['5', 5.0, null, true, [5], (object) ['n' => 5]] as $value) {
    larder_store('other', $value);
    told(larder_increment('other'));
    told(larder_cas('other', 5, 6));
}
// too large, in each form
$nine = str_repeat('x', 9 << 20);
foreach (['larder_store', 'larder_add', 'larder_replace'] as $function) {
    larder_store($function, 'old');
    if ($function === 'larder_add') {
        larder_delete($function);
    }
    told($function($function, $nine));
}
larder_fetch_cas('n', null, $cas);
told(larder_store_cas('n', $nine, $cas));
told(larder_store_multiple(['one' => 1, 'nine' => $nine, 'two' => 2]));
told(larder_store('list', range(1, 1_000_000)));
told(larder_store('object', (object) ['p' => $nine]));
larder_fetch('none');
larder_info();
told('reading leaves it');
told(larder_store('n', 1));

// the size that the message names is enough, and little more than needed
foreach ([9 << 20, 30 << 20] as $length) {
    larder_store('large', str_repeat('x', $length));
    preg_match('/Set larder\.size=(\d+)M/', larder_last_error_msg(), $size);
    foreach (['that size accepts it' => $size[1], 'less does not' => $size[1] - max(4, intdiv($size[1], 20))] as $what => $mebibytes) {
        echo "$what: ", other_process("var_dump(larder_store('large', str_repeat('x', $length)));", ['memory_limit' => '512M', 'larder.size' => $mebibytes . 'M', 'larder.segment' => 'of-that-size-' . $mebibytes]);
        array_map(unlink(...), glob(ini_get('larder.path') . '/larder-*/of-that-size-*'));
    }
}
?>
--EXPECTF--
NULL LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_NONE 
false LARDER_ERROR_RANGE The result is outside the range of int
true LARDER_ERROR_RANGE The result is outside the range of int
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_TYPE The value is not an integer
false LARDER_ERROR_SIZE The value takes 9437216 bytes; the limit is 7%d, an eighth of the cache. Set larder.size=8%dM%S, and run larder resize
false LARDER_ERROR_SIZE The value takes 9437216 bytes; the limit is 7%d, an eighth of the cache. Set larder.size=8%dM%S, and run larder resize
false LARDER_ERROR_SIZE The value takes 9437216 bytes; the limit is 7%d, an eighth of the cache. Set larder.size=8%dM%S, and run larder resize
false LARDER_ERROR_SIZE The value takes 9437216 bytes; the limit is 7%d, an eighth of the cache. Set larder.size=8%dM%S, and run larder resize
array (
  'nine' => 1,
) LARDER_ERROR_SIZE The value takes 9437216 bytes; the limit is 7%d, an eighth of the cache. Set larder.size=8%dM%S, and run larder resize
false LARDER_ERROR_SIZE The value takes more than the limit of 7%d bytes, an eighth of the cache. Raise larder.size
false LARDER_ERROR_SIZE The value takes more than the limit of 7%d bytes, an eighth of the cache. Raise larder.size
'reading leaves it' LARDER_ERROR_SIZE The value takes more than the limit of 7%d bytes, an eighth of the cache. Raise larder.size
true LARDER_ERROR_NONE 
that size accepts it: bool(true)
less does not: bool(false)
that size accepts it: bool(true)
less does not: bool(false)
