--TEST--
What PHP 8.5 and 8.6 have added leaves fetched values alone
--EXTENSIONS--
sodium
--SKIPIF--
<?php
if (PHP_VERSION_ID < 80600) {
    die('skip needs PHP 8.6');
}
?>
--FILE--
<?php
require __DIR__ . '/../anything.inc';

class Stored_Properties
{
    public mixed $beta;
    public mixed $alpha;
    public mixed $gamma;
    public mixed $delta;
}

// clone with properties
$clone = clone(new Stored_Properties(), stored('map'));
$clone->alpha[] = 1;
$clone->delta['x']['y'] = 1;

// the ends of arrays, and a value between two others
$first = array_first(stored('rows'));
$first['tags'][2]['deep'] = 'changed';
$last = array_last(stored('list'));
$last[] = 1;
$between = clamp(stored('list'), stored('list'), stored('numbers'));
$between[] = 1;

// pipes, and functions with some arguments
$length = stored('text') |> strtoupper(...) |> strlen(...);
$replace = str_replace(stored('word'), ?, stored('text'));
$replace(stored('utf8'));
$map = array_map(?, stored('list'));
$map(fn (mixed $value): mixed => $value);
unset($replace, $map);

// states of hashes are changed in place
$states = [sodium_crypto_xof_shake128_init(), sodium_crypto_xof_turboshake256_init()];
larder_store('states', $states);
for ($i = 0; $i < 3; $i++) {
    [$state, $other] = larder_fetch('states');
    sodium_crypto_xof_shake128_update($state, stored('text'));
    sodium_crypto_xof_shake128_squeeze($state, 32);
    sodium_crypto_xof_turboshake256_update($other, stored('text'));
    sodium_crypto_xof_turboshake256_squeeze($other, 32);
    [$state, $other] = larder_fetch('states');
    sodium_crypto_xof_shake128_squeeze($state, 32);
    sodium_crypto_xof_turboshake256_squeeze($other, 32);
}
larder_fetch('states') === $states || print "the states have changed\n";

// URLs
larder_store('url', implode('', ['https://exa', 'mple.org/a?b']));
$errors = stored('list');
$url = new Uri\WhatWg\Url(larder_fetch('url'), null, $errors);
$url->withPath(stored('path'))->toAsciiString();
$errors = stored('list');
Uri\WhatWg\Url::parse(stored('text'), null, $errors);
(new Uri\Rfc3986\Uri(larder_fetch('url')))->withHost(stored('word'))->toRawString();

// data that a poll context keeps
$sockets = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$context = new Io\Poll\Context();
$watcher = $context->add(new StreamPollHandle($sockets[0]), [Io\Poll\Event::Read], stored('map'));
$watcher->modifyData(stored('rows'));
$watcher->modifyData(stored('text'));
unset($watcher, $context);

unchanged();
?>
--EXPECT--
unchanged
