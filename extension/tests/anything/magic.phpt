--TEST--
A fetched value goes through magic methods
--FILE--
<?php
require __DIR__ . '/../anything.inc';

#[AllowDynamicProperties]
class Magic implements ArrayAccess, IteratorAggregate, Countable, Stringable
{
    private array $data;

    public function __construct()
    {
        $this->data = stored('map');
    }

    public function &__get(string $name): mixed
    {
        return $this->data[$name];
    }

    public function __set(string $name, mixed $value): void
    {
        $this->data[$name] = $value;
    }

    public function __isset(string $name): bool
    {
        return isset($this->data[$name]);
    }

    public function __unset(string $name): void
    {
        unset($this->data[$name]);
    }

    public function __call(string $name, array $arguments): mixed
    {
        $arguments[] = $name;

        return $arguments[0];
    }

    public static function __callStatic(string $name, array $arguments): string
    {
        return $name;
    }

    public function __toString(): string
    {
        return stored('text');
    }

    public function __invoke(mixed $value): mixed
    {
        return $value;
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->data[$offset]);
    }

    public function &offsetGet(mixed $offset): mixed
    {
        return $this->data[$offset];
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        $offset === null ? $this->data[] = $value : $this->data[$offset] = $value;
    }

    public function offsetUnset(mixed $offset): void
    {
        unset($this->data[$offset]);
    }

    public function getIterator(): Iterator
    {
        return new ArrayIterator($this->data);
    }

    public function count(): int
    {
        return count($this->data);
    }

    public function __debugInfo(): array
    {
        return stored('rows');
    }
}
$magic = new Magic();
$magic->alpha[] = 'more';
$magic->beta .= '!';
$magic['delta']['x']['y']['z'] = 'changed';
$magic[] = stored('rows');
unset($magic['gamma'], $magic->alpha);
$magic->{stored('word')} = stored('text');
$magic->{stored('word')}[0] = 'X';
$returned = $magic->{stored('function')}(stored('rows'));
$returned[0]['name'] = 'changed';
Magic::{stored('word')}(stored('rows'));
$string = (string) $magic;
$string .= '!';
$string = "$magic";
$string[0] = 'X';
$rows = $magic(stored('rows'));
$rows[0]['tags'] = null;
foreach ($magic as $key => $value) {
    $magic[$key] = $key;
}
isset($magic->alpha, $magic['alpha']) || empty($magic->{stored('word')}) || count($magic);
ob_start();
var_dump($magic);
ob_end_clean();
str_replace(new Magic(), 'x', stored('text'));

unchanged();
?>
--EXPECT--
unchanged
