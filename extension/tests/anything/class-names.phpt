--TEST--
A fetched string names a class
--FILE--
<?php
require __DIR__ . '/../anything.inc';

class Stored_Class
{
    public const CONSTANT = 'c';
    public static string $static = 's';

    public static function method(mixed ...$arguments): string
    {
        return static::class;
    }

    public function __call(string $name, array $arguments): string
    {
        return $name;
    }
}

for ($i = 0; $i < 3; $i++) {
    foreach ([stored('class'), stored('names')['class']] as $class) {
        $object = new $class();
        $class::method();
        $class::$static .= $class;
        constant("$class::CONSTANT");
        $object instanceof $class;
        is_a($object, $class) && is_subclass_of($object, $class);
        class_exists($class);
        get_class_methods($class);
        method_exists($class, stored('word'));
        $object->{stored('word')}();
        call_user_func([$class, 'method'], stored('text'));
        call_user_func(stored('method'), stored('text'));
        is_callable(stored('method'));
        (new ReflectionClass($class))->getName();
        $name = $object::class;
        $name .= '!';
        unserialize('O:12:"Stored_Class":0:{}');
        array_map([$class, 'method'], stored('strings'));
    }
}
class_alias(stored('class'), stored('word'));
new (stored('word'))();
$anonymous = new class () extends Stored_Class {};
if (!is_a(new (stored('word')), stored('class'))) {
    echo "not the class\n";
}

unchanged();
?>
--EXPECT--
unchanged
