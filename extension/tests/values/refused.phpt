--TEST--
Values that cannot be serialized throw, and the old value stays
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

class Refusing
{
    public function __serialize(): array
    {
        throw new DomainException('not me');
    }
}

function generator(): Generator
{
    yield 1;
}

function refused(string $what, mixed $value): void
{
    foreach (['alone' => $value, 'in an array' => ['x' => ['y' => $value]], 'in an object' => (object) ['p' => $value]] as $where => $tried) {
        foreach (['larder_store', 'larder_add', 'larder_replace', 'larder_store_multiple'] as $function) {
            larder_delete('key');
            if ($function !== 'larder_add') {
                larder_store('key', 'old');
            }
            try {
                $function === 'larder_store_multiple' ? $function(['key' => $tried]) : $function('key', $tried);
                echo "$what, $where, $function: stored\n";
            } catch (Exception $e) {
                $said[get_class($e) . ': ' . $e->getMessage()] = true;
            }
            if (larder_fetch('key', 'nothing') !== ($function === 'larder_add' ? 'nothing' : 'old')) {
                echo "$what, $where, $function: left something else behind\n";
            }
        }
    }
    echo implode("\n", array_keys($said)), "\n";
}

refused('closure', fn () => 1);
refused('first-class callable', strlen(...));
refused('generator', generator());
refused('resource', STDIN);
refused('anonymous class', new class () {});
refused('reflection', new ReflectionClass('stdClass'));
refused('by itself', new Refusing());
refused('SplFileInfo', new SplFileInfo('/'));
$closed = fopen('php://memory', 'r');
fclose($closed);
refused('closed resource', ['r' => $closed]['r']);

// an object that does not serialize its resource is none of our business
class Connection
{
    public $link = STDIN;

    public function __sleep(): array
    {
        return [];
    }
}
var_dump(larder_store('key', new Connection()));

// a resource behind a shared reference
$resource = STDOUT;
try {
    larder_store('key', [&$resource, new stdClass()]);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Generator' is not allowed
Exception: Serialization of 'resource' is not allowed
Exception: Serialization of 'class@anonymous' is not allowed
Exception: Serialization of 'ReflectionClass' is not allowed
DomainException: not me
Exception: Serialization of 'SplFileInfo' is not allowed
Exception: Serialization of 'resource' is not allowed
bool(true)
Serialization of 'resource' is not allowed
