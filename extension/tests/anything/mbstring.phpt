--TEST--
A fetched value goes through the multibyte functions
--EXTENSIONS--
mbstring
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'utf8', 'long', 'word', 'number'] as $name) {
    $results = [
        mb_strtoupper(stored($name)), mb_convert_case(stored($name), MB_CASE_TITLE), mb_substr(stored($name), 0, 3), mb_substr(stored($name), 0),
        mb_convert_encoding(stored($name), 'UTF-8', 'UTF-8'), mb_convert_encoding(stored($name), 'ISO-8859-1', 'UTF-8'), mb_str_split(stored($name)),
        mb_strrev(stored($name)), mb_scrub(stored($name)), mb_strimwidth(stored($name), 0, 5, '…'), mb_encode_mimeheader(stored($name)), mb_detect_encoding(stored($name)),
        mb_convert_encoding(stored('strings'), 'UTF-16'), mb_ereg_of(stored($name)),
    ];
    mb_strlen(stored($name)) + (int) mb_strpos(stored($name), 'o') + mb_strwidth(stored($name)) + (int) mb_check_encoding(stored($name), 'UTF-8');
    foreach ($results as &$result) {
        if (is_string($result)) {
            $result .= '!';
            $result[0] = 'X';
        } elseif (is_array($result)) {
            $result[] = 1;
        }
    }
    unset($result);
}
mb_check_encoding(stored('rows'), 'UTF-8');
mb_check_encoding(stored('binary'), 'UTF-8');
$a = stored('utf8');
$b = stored('rows');
@mb_convert_variables('UTF-16', 'UTF-8', $a, $b); // PHP 8.6 warns of the numbers in them
mb_parse_str('x=' . stored('word'), $parsed);
mb_internal_encoding('UTF-8');
@mb_substitute_character((int) stored('number'));
function mb_strrev(string $text): string
{
    return implode('', array_reverse(mb_str_split($text)));
}
function mb_ereg_of(string $text): string
{
    return function_exists('mb_ereg_replace') ? mb_ereg_replace('o', '0', $text) : $text;
}

unchanged();
?>
--EXPECT--
unchanged
