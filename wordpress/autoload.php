<?php

declare(strict_types=1);

defined('ABSPATH') || exit;

// The plugin's own classes. In its zip also those of the library, under a prefix: see the script build.
spl_autoload_register(static function (string $class): void {
    $prefix = 'Larder\\WordPress\\';
    if (str_starts_with($class, $prefix)) {
        $name = strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        $file = str_starts_with($name, 'Vendor/') ? __DIR__ . '/library' . substr($name, 6) : __DIR__ . "/src/$name";
        if (is_file($file)) {
            require_once $file;
        }
    }
});
