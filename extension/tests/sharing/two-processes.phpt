--TEST--
Unrelated processes share values in both directions
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$value = fn (string $of): array => ['of' => $of, 'text' => str_repeat("$of ", 500), 'list' => [1, 2.5, null, [true]]];
larder_store('from here', $value('here'));
echo other_process('
    $value = fn (string $of): array => ["of" => $of, "text" => str_repeat("$of ", 500), "list" => [1, 2.5, null, [true]]];
    var_dump(larder_fetch("from here") === $value("here"));
    larder_store("from there", $value("there"));
    larder_increment("both", 2);
    var_dump(larder_info()["processes"]["attached"]);
');
var_dump(larder_fetch('from there') === $value('there'), larder_increment('both', 3));

// it outlives all of them: this is a process after two others have ended
$first = other_process('larder_store("left", getmypid()); echo getmypid();', ['larder.segment' => 'left']);
var_dump(other_process('echo larder_fetch("left");', ['larder.segment' => 'left']) === $first);

// a process that was killed does no harm
run([...php_command(), '-r', 'larder_store("killed", [1]); $held = larder_fetch("killed"); larder_fetch("from here"); exec("kill -9 " . getmypid());']);
var_dump(larder_fetch('killed'), larder_store('after', 1));
?>
--EXPECT--
bool(true)
int(2)
bool(true)
int(5)
bool(true)
array(1) {
  [0]=>
  int(1)
}
bool(true)
