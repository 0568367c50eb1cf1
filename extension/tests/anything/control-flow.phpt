--TEST--
A fetched value is returned, thrown and used in loops
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function returns(int $which): mixed
{
    try {
        if ($which === 0) {
            return stored('rows');
        }
        if ($which === 1) {
            throw new Exception(stored('text'));
        }

        return stored('map')['alpha'] ?? null;
    } catch (Exception $e) {
        $text = $e->getMessage();
        $text .= '!';

        return $text;
    } finally {
        $local = stored('list');
        $local[] = 'in the end';
    }
}
for ($i = 0; $i < 100; $i++) {
    foreach (stored('rows') as $row) {
        foreach ($row['tags'] as $tag) {
            if ($i % 3 === 0) {
                continue 2;
            }
            $last = $tag;
            if ($i % 5 === 0) {
                break 2;
            }
        }
    }
    $returned = returns($i % 3);
    if (is_array($returned)) {
        $returned[] = $i;
    } else {
        $returned .= $i;
    }
}
$last['deep'] = 'changed';
function &returns_reference(): array
{
    static $rows;
    $rows ??= stored('rows');

    return $rows;
}
$rows = &returns_reference();
$rows[0]['name'] = 'changed';
$value = stored('nothing') ?? stored('rows')[0]['none'] ?? stored('map')['gamma'] ?? stored('list');
$value[] = 1;
$nullsafe = stored('map')['gamma']?->property;
$ternary = stored('text') ?: 'none';
$ternary .= '!';
function recurse(array $rows, int $depth): array
{
    $rows[] = $depth;

    return $depth > 0 ? recurse($rows, $depth - 1) : $rows;
}
recurse(stored('rows'), 50);
function parameter(string $text, array $list): void
{
    $text .= '!';
    $text[0] = 'X';
    array_push($list, ...$list);
    unset($list[0]);
}
parameter(stored('text'), stored('list'));

unchanged();
?>
--EXPECT--
unchanged
