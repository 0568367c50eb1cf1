--TEST--
A fetched value is sent as headers
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function stored_function(): void
{
    header('X-Late: ' . stored('word'));
}
ob_start();
header_register_callback(stored('names')['function']);
header('X-Text: ' . stored('text'));
header(stored('word') . ': ' . stored('text'));
header('X-Number: ' . stored('number'), true, 200);
setcookie(stored('word'), stored('text'));
setcookie(stored('word'), stored('text'), ['path' => stored('path'), 'domain' => stored('word')]);
setrawcookie(stored('word'), stored('number'));
header_remove('X-Text');
foreach (headers_list() as $header) {
    $header .= '!';
}
http_response_code(200);
ob_end_clean();
parse_url(stored('path'));
http_build_query(stored('rows'));
filter_var(stored('number'), FILTER_VALIDATE_INT);
filter_var(stored('text'), FILTER_CALLBACK, ['options' => stored('function')]);
filter_var_array(stored('map'), ['beta' => FILTER_DEFAULT, 'alpha' => ['filter' => FILTER_DEFAULT, 'flags' => FILTER_REQUIRE_ARRAY]])['alpha'][] = 1;

unchanged();
?>
--EXPECT--
unchanged
