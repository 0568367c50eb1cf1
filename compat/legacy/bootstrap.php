<?php

declare(strict_types=1);

use Larder\Legacy\ServerVariables;
use Larder\Polyfill\Memory;

// Without the engine there is nothing: applications that ask function_exists() then do without a cache. Each file defines
// what no extension and no other package has defined. The polyfill's functions may come after these.
if (extension_loaded('larder') || class_exists(Memory::class)) {
    require_once __DIR__ . '/apc.php';
    require_once __DIR__ . '/APCIterator.php';
    require_once __DIR__ . '/xcache.php';
    require_once __DIR__ . '/eaccelerator.php';
    ServerVariables::keep();
}
