--TEST--
Fibers may suspend while a value is serialized or unserialized, and end in any order
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

const CLASSES = '
    error_reporting(E_ALL & ~E_DEPRECATED);
    class Suspends { public $a = 1; function __wakeup() { Fiber::suspend(); } }
    class Old implements Serializable {
        static $suspended = true;
        function serialize() { if (self::$suspended) { Fiber::suspend(); } return serialize(["own"]); }
        function unserialize($data) { unserialize($data); if (self::$suspended) { Fiber::suspend(); } }
    }
    final class Gone {}
';
$writer = CLASSES . '
    Old::$suspended = false;
    larder_store("fine", [new Suspends(), $o = new stdClass(), $o]);
    larder_store("fine, Serializable", [new Old(), $o, $o]);
    larder_store("gone", [new Suspends(), new Gone()]);
    larder_store("gone, autoloaded", [new stdClass(), new Gone()]);
    larder_store("gone, Serializable", [new Old(), new Gone()]);
    larder_store("first gone, Serializable", [new Gone(), new Old()]);
';
eval(str_replace('final class Gone {}', '', CLASSES) . 'spl_autoload_register(function () { Fiber::getCurrent() && Fiber::suspend(); });');

function expect(bool $right, string $what): void
{
    if (!$right) {
        echo "$what\n";
    }
}

/** The script's own, with references that would lead astray. */
function own(string $when): void
{
    $o = new stdClass();
    $bytes = serialize([$o, [$o]]);
    expect($bytes === 'a:2:{i:0;O:8:"stdClass":0:{}i:1;a:1:{i:0;r:2;}}', "$when: $bytes");
    for ($i = 0; $i < 20; $i++) {
        $all = unserialize(serialize(array_fill(0, 60, $o)));
        expect($all === array_fill(0, 60, $all[0]), "$when: wrong objects");
    }
    set_error_handler(function () use (&$heard) { return $heard = true; });
    trigger_error('of the script', E_USER_WARNING);
    restore_error_handler();
    expect($heard === true && error_reporting() === (E_ALL & ~E_DEPRECATED), "$when: the script's error is not heard");
}

function finish(array $fibers, bool $backwards, string $when): void
{
    do {
        foreach ($backwards ? array_reverse($fibers) : $fibers as $fiber) {
            own($when);
            if (!$fiber->isTerminated()) {
                $fiber->resume();
            }
        }
    } while (array_filter($fibers, fn (Fiber $fiber) => !$fiber->isTerminated()));
    own($when);
}

$expected = ['fine' => 'found', 'fine, Serializable' => 'found', 'gone' => 'default', 'gone, autoloaded' => 'default', 'gone, Serializable' => 'default', 'first gone, Serializable' => 'default'];
foreach (extension_loaded('igbinary') ? ['php', 'igbinary'] : ['php'] as $serializer) {
    echo other_process($writer, ['larder.serializer' => $serializer]);
    foreach (['1', '0'] as $zeroCopy) {
        ini_set('larder.zero_copy', $zeroCopy);
        foreach ($expected as $one => $_) {
            foreach ($expected as $other => $_) {
                foreach ([false, true] as $backwards) {
                    $fibers = [];
                    foreach ([$one, $other, 'gone, autoloaded', $one] as $i => $key) {
                        $fibers[] = $fiber = new Fiber(function () use ($key) {
                            $value = larder_fetch($key, 'default');
                            if (is_array($value) && count($value) === 3 && $value[1] !== $value[2]) {
                                echo "$key: wrong objects\n";
                            }

                            return is_array($value) && count($value) === 3 ? 'found' : $value;
                        });
                        $fiber->start();
                        own("$one, $other: $i");
                    }
                    finish($fibers, $backwards, "$one, $other");
                    foreach ([$one, $other, 'gone, autoloaded', $one] as $i => $key) {
                        expect($fibers[$i]->getReturn() === $expected[$key], "$serializer: $key beside $one, $other: " . var_export($fibers[$i]->getReturn(), true));
                    }
                }
            }
        }
    }
}

echo "-- stored\n";
foreach ([false, true] as $backwards) {
    $fibers = [];
    foreach (['a', 'b', 'c'] as $key) {
        $fibers[] = $fiber = new Fiber(fn () => larder_store($key, [$o = new stdClass(), new Old(), $o]));
        $fiber->start();
        own('stored');
    }
    finish($fibers, $backwards, 'stored');
    Old::$suspended = false;
    foreach (['a', 'b', 'c'] as $key) {
        $value = larder_fetch($key);
        expect($value[0] instanceof stdClass && $value[0] === $value[2], "$key is wrong");
    }
    Old::$suspended = true;
}

echo "-- never resumed\n";
$fibers = [];
foreach ($expected as $key => $_) {
    $fibers[] = $fiber = new Fiber(fn () => larder_fetch($key));
    $fiber->start();
}
own('never resumed');
unset($fiber, $fibers);
gc_collect_cycles();
own('gone');

echo "-- errors of the script are heard after classes were loaded in fibers\n";
other_process('class First {} class Second {} larder_store("First", new First()); larder_store("Second", new Second());');
echo other_process('
    spl_autoload_register(function ($class) { Fiber::suspend(); eval("class $class {}"); });
    function run_here($function, $argument) { return $function($argument); }
    $first = new Fiber(fn () => run_here("larder_fetch", "First"));
    $second = new Fiber(fn () => run_here("larder_fetch", "Second"));
    $first->start();
    $second->start();
    $first->resume();
    $second->resume();
    echo $first->getReturn()::class, " ", $second->getReturn()::class, "\n";
    unset($first, $second);
    set_error_handler(function ($type, $message) { echo "heard $message\n"; return true; });
    for ($i = 0; $i < 3; $i++) { // where the fetches were on the stack
        (new Fiber(fn () => run_here("trigger_error", "error")))->start();
    }
');

echo "-- a fatal error in a fiber\n";
echo preg_replace('/ in .*/s', '', other_process(CLASSES . '
    register_shutdown_function(function () {
        for ($i = 0; $i < 20; $i++) {
            $fibers[] = $fiber = new Fiber(function () { trigger_error("still reported", E_USER_WARNING); return count(larder_fetch("fine, Serializable")); });
            set_error_handler(function () { static $heard = 0; if (++$heard === 20) { echo "heard\n"; } return true; }, E_USER_WARNING);
            $i && restore_error_handler();
            $fiber->start();
            $fiber->resume();
        }
        var_dump($fiber->getReturn());
    });
    class Fatal { function __wakeup() { eval("function larder_fetch() {}"); } }
    larder_store("fatal", [new Fatal()]);
    (new Fiber(fn () => larder_fetch("fatal")))->start();
', ['html_errors' => 0, 'log_errors' => 0, 'display_errors' => 0])), "\n";
?>
--EXPECT--
-- stored
-- never resumed
-- errors of the script are heard after classes were loaded in fibers
First Second
heard error
heard error
heard error
-- a fatal error in a fiber
heard
int(3)
[exit code 255]
