--TEST--
A fetched value is looked at by reflection and attributes
--FILE--
<?php
require __DIR__ . '/../anything.inc';

#[Attribute]
class Marked
{
    public function __construct(public mixed $value = null)
    {
    }
}
#[Marked]
function with_default(array $rows = [], string ...$more): array
{
    return func_get_args();
}
$function = new ReflectionFunction('with_default');
$arguments = $function->invokeArgs([stored('rows'), ...stored('strings')]);
$arguments[0][0]['name'] = 'changed';
$function->invoke(stored('map'), stored('text'));
$function->getAttributes()[0]->newInstance()->value = stored('rows');
$class = new ReflectionClass(Marked::class);
$made = $class->newInstanceArgs([stored('rows')]);
$made->value[0]['name'] = 'changed';
$class->newInstance(...['value' => stored('text')])->value .= '!';
$class->getProperty('value')->setValue($made, stored('map'));
$made->value['alpha'][] = 1;
$closure = (new ReflectionFunction(stored('function')))->getClosure();
$closure(stored('text'));
new ReflectionNamedTypeOf(stored('rows'));
class ReflectionNamedTypeOf
{
    public function __construct(public readonly array $rows)
    {
        $copy = $rows;
        $copy[] = 1;
    }
}
try {
    new ReflectionClass(stored('text'));
} catch (ReflectionException $e) {
    strlen($e->getMessage());
}
debug_backtrace();
(function () {
    return func_get_args();
})(stored('rows'), stored('text'))[0][0]['name'] = 'changed';

unchanged();
?>
--EXPECT--
unchanged
