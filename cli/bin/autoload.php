<?php

declare(strict_types=1);

// Finds the class loader: of the project whose vendor/bin/larder was called, else beside this file, in a clone at its
// root. A package may be a link into a clone, so its own path does not show which project it belongs to. Child
// processes inherit the answer.

$called = $GLOBALS['_composer_autoload_path'] ?? getenv('LARDER_AUTOLOAD');
$beside = [__DIR__ . '/../../vendor/autoload.php', __DIR__ . '/../../../autoload.php'];
foreach (is_string($called) ? [$called, ...$beside] : $beside as $autoload) {
    if (is_file($autoload)) {
        function_exists('putenv') && putenv("LARDER_AUTOLOAD=$autoload"); // hosts disable it for web servers
        $_SERVER['LARDER_AUTOLOAD'] = $autoload; // symfony/process hands on only what is there too

        return require $autoload;
    }
}

file_put_contents(
    'php://stderr',
    "larder: its PHP packages are not installed. In a clone: make vendor. Elsewhere: composer require larder/cli\n",
);
exit(1);
