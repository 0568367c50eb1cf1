--TEST--
A fetched value is wiped by sodium
--EXTENSIONS--
sodium
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'word', 'long', 'binary', 'number'] as $name) {
    $secret = stored($name);
    sodium_memzero($secret);
    $counter = stored($name);
    sodium_increment($counter);
    $sum = stored($name);
    sodium_add($sum, stored($name));
    sodium_compare(stored($name), stored($name));
    sodium_bin2hex(stored($name));
    sodium_crypto_generichash(stored($name));
    $padded = sodium_pad(stored($name), 16);
    $array = ['in' => stored($name)];
    sodium_memzero($array['in']);
}
$state = sodium_crypto_generichash_init();
sodium_crypto_generichash_update($state, stored('long'));
sodium_crypto_generichash_final($state);

unchanged();
?>
--EXPECT--
unchanged
