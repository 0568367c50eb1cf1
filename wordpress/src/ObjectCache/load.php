<?php

// Included by the drop-in. Returns whether WordPress may use this cache; then its functions are defined.

declare(strict_types=1);

use Larder\WordPress\ObjectCache\ObjectCache;

defined('ABSPATH') || exit;

$files = ['Backend', 'ObjectCache/Epoch', 'ObjectCache/Options', 'ObjectCache/ObjectCache'];
// All before any: half a folder, as during an update, is no folder.
foreach ([...$files, 'ObjectCache/functions', 'Backend/Engine', 'Backend/Apcu', 'Backend/Dsn'] as $file) {
    if (!is_file(\dirname(__DIR__) . "/$file.php")) {
        return false;
    }
}
foreach ($files as $file) {
    require_once \dirname(__DIR__) . "/$file.php";
}
if (!ObjectCache::open()) {
    return false;
}
require_once __DIR__ . '/functions.php';

return true;
