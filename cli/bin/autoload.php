<?php

declare(strict_types=1);

// Finds the class loader: in a clone at its root, as a package in the project that required it.

foreach ([__DIR__ . '/../../vendor/autoload.php', __DIR__ . '/../../../autoload.php'] as $autoload) {
    if (is_file($autoload)) {
        return require $autoload;
    }
}

fwrite(\STDERR, "larder: the PHP packages it needs are not there. In a clone: make vendor. Elsewhere: composer require larder/cli\n");
exit(1);
