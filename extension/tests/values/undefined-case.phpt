--TEST--
The case of an enum whose value cannot be computed here is a miss
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$code = '
enum State: string
{
    case Open = OPEN;
    case Closed = "closed";
}
class Door
{
    public ?State $state = null;
    public mixed $inner = null;
}
';
echo other_process('
define("OPEN", "open");' . $code . '
$door = new Door();
$door->state = State::Open;
larder_store("typed", $door);
larder_store("array", [State::Closed, State::Open]);
larder_store("closed", State::Closed);
');
echo other_process($code . '
for ($i = 0; $i < 2; $i++) {
    foreach (["typed", "array", "closed"] as $key) {
        echo $key, ": ", json_encode(larder_fetch($key, "miss")), "\n";
    }
}
define("OPEN", "opened");
echo json_encode(larder_fetch("typed")), "\n";
');
?>
--EXPECT--
typed: "miss"
array: "miss"
closed: "closed"
typed: "miss"
array: "miss"
closed: "closed"
{"state":"opened","inner":null}
