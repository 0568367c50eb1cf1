<?php

/**
 * Plugin Name: Larder
 * Description: An object cache and a page cache in memory that all PHP processes of the site share.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.2
 * Author: Larder
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: larder
 * Network: true
 */

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

\defined('ABSPATH') || exit;

require_once __DIR__ . '/autoload.php';

Plugin::register(__FILE__);
