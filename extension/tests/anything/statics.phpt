--TEST--
A fetched value is kept in static variables and properties
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function remember(): array
{
    static $rows, $text, $calls = 0;
    $rows ??= stored('rows');
    $text ??= stored('text');
    $calls++;
    $rows[$calls]['name'] = "changed $calls";
    $text .= $calls;

    return $rows;
}
for ($i = 0; $i < 5; $i++) {
    $rows = remember();
    $rows[0]['tags'][] = $i;
}

class Keeper
{
    public static mixed $kept;
    public static array $all = [];
    public ?string $text = null;

    public static function method(): mixed
    {
        static $map;
        $map ??= stored('map');
        $map['alpha'][] = 'more';

        return $map;
    }
}
Keeper::$kept = stored('long');
Keeper::$all[stored('word')] = stored('rows');
Keeper::$all[stored('word')][0]['name'] .= '!';
Keeper::method();
Keeper::method();
Keeper::$kept[0] = 'A';
Keeper::$all['keeper'] = new Keeper();
Keeper::$all['keeper']->text = stored('text');
Keeper::$all['untouched'] = stored('map'); // and left for PHP to free

unchanged();
?>
--EXPECT--
unchanged
