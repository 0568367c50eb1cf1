--TEST--
A fetched value is printed through output buffers
--FILE--
<?php
require __DIR__ . '/../anything.inc';

ob_start(fn (string $buffer) => '');
foreach (['text', 'long', 'utf8', 'number', 'character'] as $name) {
    echo stored($name), stored($name) . '!';
    print stored($name);
    printf('%s %d %s', stored($name), (int) stored('number'), stored('word'));
    fprintf(fopen('php://output', 'w'), stored($name) === '%' ? '' : '%s', stored($name));
    $GLOBALS['buffered'] = ob_get_contents();
}
ob_end_clean();
$buffered .= '!';
function stored_function(string $buffer): string
{
    return stored('text') . $buffer;
}
ob_start(stored('names')['function']);
echo stored('text');
ob_end_clean();
ob_start(function (string $buffer) {
    return (string) strlen($buffer . $GLOBALS['kept'][0]['name']);
});
$kept = stored('rows');
echo stored('long');
ob_end_clean();
$list = ob_list_handlers();
output_add_rewrite_var(stored('word'), stored('text'));
output_reset_rewrite_vars();
ob_start();
readfile('data://text/plain,' . rawurlencode(stored('text')));
highlight_string('<?php ' . stored('code'));
$all = ob_get_clean();
$all[0] = 'X';

unchanged();
?>
--EXPECT--
unchanged
