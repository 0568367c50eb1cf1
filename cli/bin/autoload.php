<?php

declare(strict_types=1);

// Finds the class loader: of the project whose vendor/bin/larder, or vendor/larder/cli/page.php, was called, else
// beside this file, in a clone at its root. A package may be a link into a clone, so its own path does not show which
// project it belongs to. Child processes, and pools that are asked by --fcgi, inherit the answer.

$called = $GLOBALS['_composer_autoload_path'] ?? getenv('LARDER_AUTOLOAD');
$script = $_SERVER['SCRIPT_FILENAME'] ?? null; // as it was called, the link not resolved
$loaders = [
    is_string($called) ? $called : '',
    is_string($script) && str_ends_with(dirname($script), '/larder/cli') && is_link(dirname($script))
        ? (string) realpath(dirname($script, 3) . '/autoload.php') : '',
    __DIR__ . '/../../vendor/autoload.php',
    __DIR__ . '/../../../autoload.php',
];
foreach ($loaders as $autoload) {
    if (is_readable($autoload)) { // a pool's user may not read root's project
        // Not in a pool: where it is disabled, a call that opcache compiled for another pool is SIGSEGV.
        PHP_SAPI === 'cli' && function_exists('putenv') && putenv("LARDER_AUTOLOAD=$autoload");
        $_SERVER['LARDER_AUTOLOAD'] = $autoload; // symfony/process hands on only what is there too

        return require $autoload;
    }
}

$missing = 'larder: its PHP packages are not installed. In a clone: make vendor. Elsewhere: '
    . 'composer require larder/cli';
if (PHP_SAPI === 'cli') {
    file_put_contents('php://stderr', "$missing\n");
} else {
    http_response_code(500);
    error_log($missing); // to the pool's log, and to who asked by --fcgi
}
exit(1);
