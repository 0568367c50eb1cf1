<?php

declare(strict_types=1);

/*
 * A page of Laravel with 60 reads of its cache. The environment has SHOP_DATA, a folder, and what an .env file would have.
 *
 *     php lab/apcu/laravel/index.php COMMAND        of artisan
 */

use Illuminate\Http\Request;
use Symfony\Component\Console\Input\ArgvInput;

require __DIR__ . '/../../../var/laravel/vendor/autoload.php';

$app = require __DIR__ . '/bootstrap/app.php';
\PHP_SAPI === 'cli' ? exit($app->handleCommand(new ArgvInput())) : $app->handleRequest(Request::capture());
