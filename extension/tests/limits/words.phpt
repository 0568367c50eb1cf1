--TEST--
Words that PHP's scanner of settings replaces (none, null, no, off, yes) and empty settings never lift a limit
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

class Plain {}
larder_store('object', new Plain());
larder_store('array', [1, 'two']);

/** What another process says of the setting, as written in php.ini: its value, whether an object and an array are found. */
function tried(string $name, string $word): string
{
    $said = other_process('
        class Plain {}
        ini_set("error_log", "/dev/null");
        echo json_encode([ini_get("' . $name . '"), larder_fetch("object") instanceof Plain, larder_fetch("array") === [1, "two"]]);
    ', ['display_startup_errors' => 1, 'html_errors' => 0, $name => $word]);

    return preg_replace('/^Warning: (.*?) in Unknown on line 0\s*/s', '$1: ', trim($said));
}

$words = ['none', 'null', 'no', 'off', 'yes', ''];
foreach (array_diff(array_keys(ini_get_all('larder', false)), ['larder.control']) as $name) { // but that of the test build
    echo "-- $name\n";
    $same = [];
    foreach (match ($name) {
        'larder.classes' => [...$words, 'nothing', 'Nothing', '"none"', '*', 'Plain', '"*, Plain"', '"nothing, Plain"'],
        default => $words,
    } as $word) {
        $same[tried($name, $word)][] = $word === '' ? 'empty' : $word;
    }
    foreach ($same as $line => $these) {
        echo implode(', ', $these), ": $line\n";
    }
}

echo "-- in a script\n";
var_dump(ini_get('larder.classes'));
foreach (['', 'none', 'nothing', '*'] as $classes) {
    ini_set('larder.classes', $classes);
    echo "\"$classes\": ", get_debug_type(larder_fetch('object')), "\n";
}
?>
--EXPECTF--
-- larder.classes
none, null, no, off, empty: ["",false,true]
yes: ["1",false,true]
nothing: ["nothing",false,true]
Nothing: ["Nothing",false,true]
"none": ["none",false,true]
*: ["*",true,true]
Plain: ["Plain",true,true]
"*, Plain": ["*, Plain",true,true]
"nothing, Plain": ["nothing, Plain",true,true]
-- larder.compact
none, null, no, off, empty: ["",true,true]
yes: ["1",true,true]
-- larder.default_ttl
none, null, no, off, empty: larder.default_ttl must be a number of seconds, 0 or greater, "" given; the value is ignored: ["0",true,true]
yes: ["1",true,true]
-- larder.enabled
none, null, no, off, empty: ["",false,false]
yes: ["1",true,true]
-- larder.path
none, null, no, off, empty: ["",false,false]
yes: ["1",false,false]
-- larder.pin_share
none, null, no, off, empty: larder.pin_share must be a number between 0.0 and 0.9 with a decimal point, "" given; the value is ignored: ["0.5",true,true]
yes: %S["%f",true,true]
-- larder.processes
none, null, no, off, empty: larder.processes must be an integer between 1 and 4095, "" given; the value is ignored: ["512",true,true]
yes: ["1",true,true]
-- larder.segment
none, null, no, off, empty: ["",false,false]
yes: ["1",false,false]
-- larder.serializer
none, null, no, off, empty: larder.serializer must be auto, php or igbinary, "" given; the value is ignored: ["auto",true,true]
yes: larder.serializer must be auto, php or igbinary, "1" given; the value is ignored: ["auto",true,true]
-- larder.session_lock_wait
none, null, no, off, empty: larder.session_lock_wait must be a number of seconds, 0 or greater, "" given; the value is ignored: ["30",true,true]
yes: ["1",true,true]
-- larder.session_size
none, null, no, off, empty: larder.session_size must be between 8M and 64G, "" given; the value is ignored: ["16M",true,true]
yes: larder.session_size must be between 8M and 64G, "1" given; the value is ignored: ["16M",true,true]
-- larder.size
none, null, no, off, empty: larder.size must be between 8M and 64G, "" given; the value is ignored: ["64M",true,true]
yes: larder.size must be between 8M and 64G, "1" given; the value is ignored: ["64M",true,true]
-- larder.zero_copy
none, null, no, off, empty: ["",true,true]
yes: ["1",true,true]
-- in a script
string(1) "*"
"": null
"none": null
"nothing": null
"*": Plain
