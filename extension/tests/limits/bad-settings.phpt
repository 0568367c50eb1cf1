--TEST--
A bad setting raises a warning and keeps the default
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$bad = [
    'larder.enabled' => ['maybe', '2', '-1', 'on off'],
    'larder.size' => ['', '64MB', '7M', '65G', '-64M', '1e9', 'large', '99999999999999999999'],
    'larder.processes' => ['', '0', '4096', '-1', '512 workers', '1.5'],
    'larder.pin_share' => ['', '0,5', '1.5', '-0.1', 'half', '50%', '0.5 ', 'nan', 'inf'],
    'larder.serializer' => ['', 'json'],
    'larder.zero_copy' => ['2', 'never'],
];
$good = [
    'larder.enabled' => ['1', 'On', 'yes', 'TRUE'],
    'larder.size' => ['8M', '16384K', '8388608', '8m', '1G'],
    'larder.processes' => ['1', '4095', '1K'],
    'larder.pin_share' => ['0', '0.0', '.5', '0.9', '5e-1'],
    'larder.serializer' => ['php', 'auto'],
    'larder.zero_copy' => ['0', '1', 'no', 'Off', ''],
];
$look = 'ini_set("error_log", "/dev/null"); var_dump(ini_get("%s"), larder_store("key", 1));';
$default = array_map(fn (string $name): string => ini_get($name), array_combine(array_keys($bad), array_keys($bad)));
foreach ([['bad', $bad], ['good', $good]] as [$kind, $settings]) {
    foreach ($settings as $name => $values) {
        foreach ($values as $value) {
            $arguments = ['larder.segment' => 'tried', 'display_startup_errors' => 1, 'html_errors' => 0, $name => '"' . $value . '"'];
            if ($name !== 'larder.size') {
                $arguments += ['larder.size' => '16M'];
            }
            $said = other_process(sprintf($look, $name), $arguments);
            remove_segments();
            $warned = preg_match('/Warning: (\\S+) must be .+, "(.*)" given; the value is ignored in Unknown/', $said, $match) === 1;
            $works = str_contains($said, 'bool(true)');
            if ($warned !== ($kind === 'bad') || !$works || ($warned && ($match[1] !== $name || $match[2] !== $value))) {
                echo "$kind $name=$value: $said\n";
            }
            if (substr_count($said, 'Warning') !== (int) $warned) {
                echo "warned twice: $said\n";
            }
        }
    }
}
function remove_segments(): void
{
    foreach (glob(ini_get('larder.path') . '/larder-*/tried-*') as $file) {
        unlink($file);
    }
}

// in a script, where PHP tells so too
var_dump(ini_set('larder.zero_copy', 'never'), ini_get('larder.zero_copy'), ini_set('larder.serializer', 'json'));
?>
--EXPECTF--

Warning: larder.zero_copy must be on or off, "never" given; the value is ignored in %s on line %d

Warning: larder.serializer must be auto, php or igbinary, "json" given; the value is ignored in %s on line %d
bool(false)
string(1) "1"
bool(false)
