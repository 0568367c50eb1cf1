--TEST--
A first store in a fiber, and stores into a full cache, leave room on a small stack
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

echo other_process('
    $fiber = new Fiber(function () {
        $stored = larder_store("a", [1, "two"]);
        for ($i = 0; $i < 300; $i++) {
            larder_store("long $i", str_repeat("x", 100_000));
        }
        var_dump($stored, larder_fetch("long 299") === str_repeat("x", 100_000));
    });
    $fiber->start();
', ['fiber.stack_size' => PHP_VERSION_ID < 80300 ? '16K' : '64K']); // newer ones reserve 48 KiB
?>
--EXPECT--
bool(true)
bool(true)
