--TEST--
An object that cannot be unserialized is a miss, never an error
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

// Classes as one deployment has them, and as the next does.
const BEFORE = '
    class Gone { public $name = "gone"; }
    #[AllowDynamicProperties] class Changed { public int|string $number = "text"; }
    class Throws { public $a = 1; }
    class ThrowsInUnserialize { public $a = 1; }
    class Old implements Serializable { function serialize() { return "text"; } function unserialize($data) {} }
    class NoLonger implements Serializable { function serialize() { return "text"; } function unserialize($data) {} }
    enum GoneEnum { case One; }
    enum NoEnum { case One; }
    enum Fewer { case One; case Two; }
    class Property { public $kept = 1; public $gone = 2; }
    class ThrowsWhileLoaded {}
';
const AFTER = '
    spl_autoload_register(function (string $class): void {
        $GLOBALS["asked"][] = $class;
        if ($class === "ThrowsWhileLoaded") { throw new LogicException("cannot be loaded"); }
        if ($class === "Loaded") { eval("class Loaded { public \$fetched; function __wakeup() { \$this->fetched = larder_fetch(\"Gone\", \"inner default\"); } }"); }
        if (ini_get("unserialize_callback_func") === "") {
            unserialize("O:7:\"Nowhere\":0:{}"); // what an autoloader reads is its own
        }
        larder_fetch("Gone in an array");
    });
    class Changed { public int $number = 1; }
    class Throws { public $a; function __wakeup() { throw new DomainException("I throw"); } }
    class ThrowsInUnserialize { public $a; function __unserialize(array $data): void { throw new DomainException("I throw"); } }
    class NoLonger { }
    class NoEnum { }
    enum Fewer { case One; }
    class Property { public $kept = 1; }
';
const BOTH = '
    error_reporting(E_ALL & ~E_DEPRECATED);
    class Holder implements Serializable {
        function __construct(public mixed $held) {}
        function serialize() { return serialize($this->held); }
        function unserialize($data) { $this->held = unserialize($data); }
    }
    final class Witness {
        public static int $alive = 0;
        public string $text = "half built";
        function __construct() { self::$alive++; }
        function __wakeup() { self::$alive++; }
        function __destruct() { self::$alive--; }
    }
    error_reporting(E_ALL);
';
$writer = BEFORE . BOTH . '
    class Loaded { public $fetched; }
    $changed = new Changed();
    $values = [
        "Gone" => new Gone(), "Changed" => $changed, "Throws" => new Throws(), "ThrowsInUnserialize" => new ThrowsInUnserialize(),
        "Old" => new Old(), "NoLonger" => new NoLonger(), "GoneEnum" => GoneEnum::One, "NoEnum" => NoEnum::One, "Two" => Fewer::Two,
        "ThrowsWhileLoaded" => new ThrowsWhileLoaded(),
    ];
    foreach ($values as $name => $value) {
        larder_store($name, $value);
        larder_store("$name in an array", ["a" => 1, "deep" => [new Witness(), [$value]], "after" => new Witness()]);
        larder_store("$name in an object", (object) ["witness" => new Witness(), "deep" => new ArrayObject([$value])]);
        larder_store("$name in a Serializable", new Holder(["deep" => [$value]]));
    }
    larder_store("fine", [new Property(), Fewer::One, new ArrayObject([1])]);
    larder_store("loaded", new Loaded());
    larder_store("names", array_keys($values));
';
$reader = BOTH . AFTER . '
    $heard = 0;
    if (HANDLER) {
        set_error_handler(function (int $type, string $message) use (&$heard): bool { $heard++; echo "handler: $message\n"; return true; });
    }
    $state = fn () => serialize([error_reporting(), ini_get_all(null, false)]);
    $before = $state();
    $info0 = larder_info();
    foreach (larder_fetch("names") as $name) {
        foreach (["", " in an array", " in an object", " in a Serializable"] as $where) {
            if (!larder_exists($name . $where)) {
                echo "$name$where: not there\n";
            }
            try {
                $fetched = larder_fetch($name . $where, "default");
                $many = larder_fetch_multiple(["names", $name . $where], "default");
                $cas = larder_fetch_cas($name . $where, "default", $token);
                if ($fetched !== "default" || $many[$name . $where] !== "default" || count($many) !== 2 || $cas !== "default" || !is_int($token)) {
                    echo "$name$where: no miss\n", serialize($fetched), "\n";
                }
            } catch (Throwable $throwable) {
                echo "$name$where: ", $throwable::class, " ", $throwable->getMessage(), "\n";
            }
            unset($fetched, $many, $cas);
        }
    }
    gc_collect_cycles();
    // igbinary destructs what it has not completed, unserialize() does not
    if (Witness::$alive !== 0 && ini_get("larder.serializer") === "php") {
        echo Witness::$alive, " left\n";
    }
    $fine = larder_fetch("fine");
    if (!$fine || $fine[0]->gone !== 2 || $fine[1] !== Fewer::One || count($fine[2]) !== 1) {
        echo "the fine one is a miss\n";
    }
    if (larder_fetch("loaded")?->fetched !== "inner default") {
        echo "the loaded one is a miss\n";
    }
    if ($state() !== $before) {
        echo "a setting has changed\n";
    }
    if (!in_array("Gone", $asked) || !in_array("GoneEnum", $asked)) {
        echo "no autoloader was asked\n";
    }
    if (HANDLER) {
        echo $heard > 0 ? "the handler was called\n" : "";
        trigger_error("of the script", E_USER_WARNING);
    } else {
        echo error_reporting() === E_ALL ? "" : "muted\n";
    }
    $info = larder_info();
    if ($info["unreadable"] - $info0["unreadable"] !== $info["misses"] - $info0["misses"] || $info["unreadable"] - $info0["unreadable"] < 3 * 4 * 10) {
        echo "not counted: ", json_encode([$info0, $info]), "\n";
    }
    echo "done\n";
';
$serializers = extension_loaded('igbinary') ? ['php', 'igbinary'] : ['php'];
foreach ($serializers as $serializer) {
    echo other_process("error_reporting(E_ALL & ~E_DEPRECATED); $writer", ['larder.serializer' => $serializer]);
    foreach ([['larder.zero_copy' => 1], ['larder.zero_copy' => 0], ['disable_functions' => 'ini_set,ini_alter'], ['unserialize_callback_func' => 'strlen'], ['unserialize_callback_func' => 'missing']] as $settings) {
        foreach (['false' => "done\n", 'true' => "handler: of the script\ndone\n"] as $handler => $expected) {
            $settings += ['larder.serializer' => $serializer, 'error_log' => '/dev/stdout', 'log_errors' => 1];
            $said = other_process("const HANDLER = $handler; $reader", $settings);
            if ($said !== $expected) {
                echo "$serializer, ", json_encode($settings), ", handler $handler:\n$said";
            }
        }
    }
}
echo "all tried\n";
?>
--EXPECT--
all tried
