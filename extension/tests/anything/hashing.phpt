--TEST--
A fetched value is hashed, packed and compressed
--EXTENSIONS--
hash
openssl
zlib
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'long', 'binary', 'utf8', 'word'] as $name) {
    $results = [
        hash('sha256', stored($name), true), hash_hmac('md5', stored($name), stored('word')), crc32(stored($name)),
        gzuncompress(gzcompress(stored($name))), gzinflate(gzdeflate(stored($name))), gzdecode(gzencode(stored($name))),
        openssl_encrypt(stored($name), 'aes-128-cbc', 'k', OPENSSL_RAW_DATA, str_repeat('i', 16)), openssl_digest(stored($name), 'sha1'),
        password_hash(substr(str_replace("\0", '', stored($name)), 0, 20), PASSWORD_BCRYPT, ['cost' => 4]), base64_decode(base64_encode(stored($name))),
        hex2bin(bin2hex(stored($name))), strrev(stored($name)), crypt(stored('word'), '$1$larder$'), uniqid(stored('word')),
    ];
    $context = hash_init('sha1');
    hash_update($context, stored($name));
    hash_final($context);
    hash_pbkdf2('sha1', stored($name), stored('word'), 1);
    foreach ($results as &$result) {
        $result = "$result!";
        $result[0] = 'X';
    }
    unset($result);
}
$memory = fopen('php://temp', 'w+');
stream_filter_append($memory, 'zlib.deflate', STREAM_FILTER_WRITE, stored('map') ? 6 : 1);
fwrite($memory, stored('long'));
fclose($memory);

unchanged();
?>
--EXPECT--
unchanged
