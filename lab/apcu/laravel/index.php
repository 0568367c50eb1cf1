<?php

declare(strict_types=1);

/*
 * A Laravel page that reads its cache 60 times. The environment has SHOP_DATA, a folder, and the settings of an .env
 * file.
 *
 *     php lab/apcu/laravel/index.php COMMAND        of artisan
 */

use Illuminate\Http\Request;
use Symfony\Component\Console\Input\ArgvInput;

require __DIR__ . '/../../../var/laravel/vendor/autoload.php';

$app = require __DIR__ . '/bootstrap/app.php';
\PHP_SAPI === 'cli' ? exit($app->handleCommand(new ArgvInput())) : $app->handleRequest(Request::capture());
