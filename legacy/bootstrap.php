<?php

declare(strict_types=1);

// Each file defines what no extension and no other package has defined.
require_once __DIR__ . '/apc.php';
require_once __DIR__ . '/APCIterator.php';
require_once __DIR__ . '/xcache.php';
require_once __DIR__ . '/eaccelerator.php';
