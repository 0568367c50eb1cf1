--TEST--
A fetched value goes through the string functions
--EXTENSIONS--
ctype
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'word', 'long', 'utf8', 'binary', 'number', 'character'] as $name) {
    $results = [];
    foreach ([
        'strtolower', 'strtoupper', 'ucfirst', 'lcfirst', 'ucwords', 'trim', 'ltrim', 'rtrim', 'strrev', 'addslashes', 'stripslashes', 'htmlspecialchars',
        'html_entity_decode', 'nl2br', 'strip_tags', 'quotemeta', 'str_rot13', 'md5', 'sha1', 'crc32', 'base64_encode', 'bin2hex', 'urlencode', 'rawurlencode',
        'quoted_printable_encode', 'soundex', 'metaphone', 'strlen', 'str_word_count', 'escapeshellarg', 'basename', 'dirname', 'stripcslashes',
        'convert_uuencode', 'str_split', 'count_chars', 'intval', 'floatval', 'is_numeric', 'strval', 'ctype_alpha', 'serialize', 'gettype',
    ] as $function) {
        if ($function === 'escapeshellarg' && $name === 'binary') {
            continue;
        }
        $results[$function] = $function(stored($name));
    }
    $results += [
        substr(stored($name), 0), substr_replace(stored($name), 'X', 0, 1), str_replace('o', '0', stored($name), $count), str_ireplace('O', '0', stored($name)),
        strtr(stored($name), 'abc', 'xyz'), strtr(stored($name), ['the' => 'a']), str_pad(stored($name), 5), str_repeat(stored($name), 1), wordwrap(stored($name), 10),
        chunk_split(stored($name)), explode(' ', stored($name)), number_format((float) stored('float')), sprintf('%s', stored($name)), vsprintf('%s', [stored($name)]),
        similar_text(stored($name), stored('text'), $percent), strpbrk(stored($name), 'o'), strstr(stored($name), 'w'), addcslashes(stored($name), 'a..z'),
        str_contains(stored($name), stored('word')), substr_count(stored($name), 'o'), ucwords(stored($name), stored('character')), implode(stored($name), ['a', 'b']),
        str_replace(stored('strings'), stored('strings'), stored($name)), trim(stored($name), stored('character')), strtok(stored($name), ' '), strtok(' '),
    ];
    foreach ($results as &$result) {
        if (is_string($result) && $result !== '') {
            $result .= '!';
            $result[0] = 'X';
        } elseif (is_array($result)) {
            $result[] = 'more';
        }
    }
    unset($result, $results);
}
parse_str('a[]=1&' . stored('word') . '=2', $parsed);
$parsed[stored('word')] .= stored('text');
sscanf(stored('text'), '%s %s', $one, $two);
$one .= '!';
str_word_count(stored('text'), 1);
levenshtein(stored('word'), stored('function'));
vprintf('', stored('strings'));
setlocale(LC_ALL, 0);
mb_parse();
function mb_parse(): void
{
    $string = stored('text');
    foreach ([&$string] as &$in_place) {
        $in_place = strtoupper($in_place);
    }
}

unchanged();
?>
--EXPECT--
unchanged
