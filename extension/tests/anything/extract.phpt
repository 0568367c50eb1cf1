--TEST--
A fetched value is extracted and compacted
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function scope(): array
{
    $map = stored('map');
    extract($map);
    $alpha[] = 'more';
    $beta .= ' more';
    extract($map, EXTR_REFS | EXTR_PREFIX_ALL, 'p');
    $p_alpha[1] = 'changed';
    $p_beta = 'changed';
    $p_delta['x']['y']['z'] = 'changed';

    return compact('alpha', 'beta', 'map') + get_defined_vars();
}
$all = scope();
$all['map']['alpha'] = null;
['alpha' => [, $first], 'delta' => ['x' => ['y' => $y]]] = stored('map');
$first .= '!';
$y['z'] .= '!';
foreach (stored('rows') as ['name' => $name, 'tags' => [$tag]]) {
    $name[0] = 'N';
    $tag[0] = 'T';
}
[$a, $b] = [stored('text'), stored('word')];
[$a, $b] = [$b, $a];
$a .= $b;

unchanged();
?>
--EXPECT--
unchanged
