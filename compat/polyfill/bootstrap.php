<?php

declare(strict_types=1);

// The extension, where it is loaded, has all of this.
if (!\extension_loaded('larder')) {
    require_once __DIR__ . '/functions.php';
    require_once __DIR__ . '/LarderIterator.php';
}
