--TEST--
A string of 16 MiB is unchanged in a cache of 256 MiB
--SKIPIF--
<?php if (disk_free_space('/dev/shm') < 300 << 20) { die('skip /dev/shm has less than 300 MiB left'); } ?>
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '256M']);

come_back(function () {
    yield '16 MiB' => substr(str_repeat(hash('sha512', 'x', true), 1 << 18), 0, 16 << 20);
    yield '16 MiB in an array' => ['long' => substr(str_repeat(hash('sha512', 'y', true), 1 << 18), 0, 16 << 20), 'short' => 1];
});
?>
--EXPECT--
all came back
