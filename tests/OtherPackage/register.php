<?php

declare(strict_types=1);

// A file of another package that Composer loads: "autoload": {"files": ["register.php"]}.

use Larder\Drivers;
use Larder\ProjectTests\OtherPackage\PocketDriver;

require_once \dirname(__DIR__, 2) . '/vendor/autoload.php';

Drivers::register(new PocketDriver());
