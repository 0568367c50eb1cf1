--TEST--
A fetched value is matched, with and without /u, and is a pattern itself
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'long', 'utf8', 'word', 'number'] as $name) {
    preg_match('/\w+/u', stored($name), $matches);
    $matches[0] .= '!';
    preg_match_all('/(?<first>\w)\w*/u', stored($name), $matches, PREG_SET_ORDER | PREG_OFFSET_CAPTURE);
    $matches[0]['first'][0] = 'X';
    $replaced = preg_replace('/o/u', '0', stored($name));
    $replaced .= '!';
    $same = preg_replace('/no such thing/', '', stored($name));
    $same .= '!';
    $same[0] = '?';
    $parts = preg_split('/\s+/u', stored($name));
    $parts[] = 'more';
    $parts[0] .= '!';
    preg_replace_callback('/\b\w/u', fn ($m) => strtoupper($m[0]), stored($name));
    preg_quote(stored($name));
}
for ($i = 0; $i < 5; $i++) {
    preg_match(stored('pattern'), stored('text'), $matches);
    preg_match(stored('pattern'), stored('utf8'), $matches);
    preg_match('/^' . stored('word') . '$/', stored('word'));
}
@preg_match('/ä/u', stored('binary'));
$grep = preg_grep('/1/', stored('strings'));
$grep[0] = 'x';
$all = preg_replace(['/a/', '/b/'], stored('strings'), stored('strings'));
$all[] = 'x';
$filtered = preg_filter('/1/', 'one', stored('strings'));

unchanged();
?>
--EXPECT--
unchanged
