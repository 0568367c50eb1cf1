<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

\defined('WP_UNINSTALL_PLUGIN') || exit;

require_once __DIR__ . '/autoload.php';

// Deactivating has removed the drop-ins.
Caches::uninstall();
