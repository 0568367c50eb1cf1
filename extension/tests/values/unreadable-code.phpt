--TEST--
Code of classes runs as usual while its objects are unserialized
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();
error_reporting(E_ALL & ~E_DEPRECATED);

class Runs
{
    public function __construct(public string $code, public mixed $more = null)
    {
    }

    public function __wakeup(): void
    {
        eval($this->code);
    }
}
class Destructs
{
    public function __destruct()
    {
        throw new DomainException('while it is dropped');
    }
}

echo "-- errors of the code are reported\n";
set_error_handler(function (int $type, string $message): bool {
    echo "handler: $message\n";

    return true;
}, E_ALL & ~E_DEPRECATED);
larder_store('k', [new Runs('trigger_error("of the code"); $undefined + 1;'), new Runs('')]);
var_dump(count(larder_fetch('k')));
larder_store('k', [new Runs('var_dump(get_class(unserialize("O:7:\"Nowhere\":0:{}")), unserialize("damaged"));')]);
var_dump(count(larder_fetch('k')));
larder_fetch(str_repeat('k', 3) . $undefined);

echo "-- what the code sets stays\n";
larder_store('k', new Runs('set_error_handler(function () { echo "of the code\n"; return true; }); error_reporting(E_ALL & ~E_DEPRECATED & ~E_NOTICE);'));
larder_fetch('k');
var_dump(error_reporting() === (E_ALL & ~E_DEPRECATED & ~E_NOTICE));
trigger_error('x', E_USER_WARNING);
restore_error_handler();
trigger_error('x', E_USER_WARNING);
error_reporting(E_ALL & ~E_DEPRECATED);

echo "-- thrown while it is dropped\n";
$destructs = new Destructs();
larder_store('k', [$destructs, new Runs('throw new LogicException("not now");')]);
var_dump(larder_fetch('k', 'default'));
try {
    unset($destructs);
} catch (DomainException $exception) {
    echo $exception->getMessage(), "\n";
}

echo "-- fibers\n";
larder_store('suspends', [new Runs('Fiber::suspend("suspended");'), $x = new stdClass(), $x]);
larder_store('throws', [new Runs('throw new LogicException("not now");')]);
larder_store('fine', new Runs(''));
$fiber = new Fiber(fn () => count(larder_fetch('suspends')));
$other = new Fiber(fn () => larder_fetch('suspends', 'default'));
var_dump($fiber->start(), $other->start(), larder_fetch('throws', 'default'), larder_fetch('fine') instanceof Runs);
$fiber->resume();
var_dump($fiber->getReturn(), larder_fetch('throws', 'default'), larder_fetch('fine') instanceof Runs);
unset($other);
gc_collect_cycles();
var_dump(larder_fetch('fine') instanceof Runs, larder_fetch('throws', 'default'));
trigger_error('of the script', E_USER_WARNING);

echo "-- within the script's own serialize() and unserialize()\n";
class Stores implements Serializable
{
    public static array $fetched;

    public function serialize(): string
    {
        larder_store('inner', [$x = new stdClass(), $x, [1, new stdClass()]]);

        return serialize(['own', $y = new stdClass(), $y]);
    }

    public function unserialize($data): void
    {
        self::$fetched = larder_fetch('inner', []);
        [, $y, $z] = unserialize($data);
        var_dump($y === $z);
    }
}
$object = new stdClass();
[$a, , $b] = unserialize(serialize([$object, new Stores(), $object]));
var_dump($a === $b, count(Stores::$fetched), Stores::$fetched[0] === Stores::$fetched[1]);
larder_store('k', [$object, new Stores(), $object]);
[$a, , $b] = larder_fetch('k');
var_dump($a === $b, Stores::$fetched[0] === Stores::$fetched[1]);

echo "-- the end of a script\n";
$class = 'class Runs { public $code; public $more; function __wakeup() { eval($this->code); } } ';
$end = 'register_shutdown_function(function () { echo "end: "; var_dump(larder_fetch("fine") instanceof Runs, larder_fetch("throws", "default"), larder_fetch("more")[0] ?? null); trigger_error("still reported"); });';
larder_store('more', ['a', new Runs('larder_fetch("fine");')]);
larder_store('k', new Runs('exit("exited\n");'));
echo other_process($class . $end . 'try { larder_fetch("k", "default"); } finally { echo "not reached\n"; }', ['html_errors' => 0, 'log_errors' => 0]);
larder_store('k', [new Runs('function larder_fetch() {}')]); // a fatal error
echo preg_replace('/Stack trace.*?thrown/s', '', other_process($class . $end . 'larder_fetch("k", "default"); echo "not reached\n";', ['html_errors' => 0, 'log_errors' => 0]));
?>
--EXPECTF--
-- errors of the code are reported
handler: of the code
handler: Undefined variable $undefined
int(2)
handler: unserialize(): Error at offset 0 of 7 bytes
string(22) "__PHP_Incomplete_Class"
bool(false)
int(1)
handler: Undefined variable $undefined
-- what the code sets stays
bool(true)
of the code
handler: x
-- thrown while it is dropped
string(7) "default"
while it is dropped
-- fibers
string(9) "suspended"
string(9) "suspended"
string(7) "default"
bool(true)
int(3)
string(7) "default"
bool(true)
bool(true)
string(7) "default"
handler: of the script
-- within the script's own serialize() and unserialize()
bool(true)
bool(true)
int(3)
bool(true)
bool(true)
bool(true)
bool(true)
-- the end of a script
exited
end: bool(true)
string(7) "default"
string(1) "a"

Notice: still reported in %s on line %d

Fatal error: Cannot redeclare %s
end: bool(true)
string(7) "default"
string(1) "a"

Notice: still reported in %s on line %d
[exit code 255]