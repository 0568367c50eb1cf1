--TEST--
A fetched value goes through iconv and ctype
--EXTENSIONS--
iconv
ctype
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'utf8', 'long', 'word', 'number'] as $name) {
    $converted = iconv('UTF-8', 'UTF-8', stored($name));
    $converted .= '!';
    $latin = @iconv('UTF-8', 'ISO-8859-1//IGNORE', stored($name));
    $part = iconv_substr(stored($name), 0, 3);
    $part[0] = 'X';
    iconv_strlen(stored($name)) + (int) iconv_strpos(stored($name), 'o');
    iconv_mime_encode(stored('word'), stored($name));
    @iconv_mime_decode(stored($name));
    ctype_digit(stored($name)) || ctype_space(stored($name)) || ctype_print(stored($name));
}
@iconv_set_encoding('internal_encoding', stored('word'));
$filter = stream_get_filters();
$memory = fopen('php://memory', 'w+');
stream_filter_append($memory, 'convert.iconv.UTF-8/UTF-16');
fwrite($memory, stored('utf8'));

unchanged();
?>
--EXPECT--
unchanged
