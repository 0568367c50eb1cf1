--TEST--
A fetched value becomes a constant
--FILE--
<?php
require __DIR__ . '/../anything.inc';

define('LIST_CONSTANT', stored('list'));
define('TEXT_CONSTANT', stored('text'));
define(stored('names')['constant'], stored('rows'));
define(stored('word'), 'a constant by a fetched name');
$list = LIST_CONSTANT;
$list[] = 'more';
$text = TEXT_CONSTANT . '!';
$rows = STORED_CONSTANT;
$rows[0]['name'] .= '!';
$fetched = constant(stored('names')['constant'])[1]['tags'][2]['deep'];
$fetched[0] = 'D';
defined(stored('word'));
constant(stored('word'));
function with_default(array $list = LIST_CONSTANT, string $text = TEXT_CONSTANT): int
{
    $list[] = $text;
    $text .= '!';

    return count($list);
}
with_default();
with_default();

class Constants
{
    public const LIST = LIST_CONSTANT;
    public const TEXT = TEXT_CONSTANT . '';
    public array $property = LIST_CONSTANT;
    public static array $static = STORED_CONSTANT;
}
$object = new Constants();
$object->property[] = Constants::TEXT;
Constants::$static[0]['name'] = 'changed';
$copy = Constants::LIST;
sort($copy);
$user = get_defined_constants(true)['user'];
$user['LIST_CONSTANT'][] = 1;

unchanged();
?>
--EXPECT--
unchanged
