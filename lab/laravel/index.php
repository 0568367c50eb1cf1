<?php

declare(strict_types=1);

/*
 * The application on the web and in the shell.
 *
 *     php lab/laravel/index.php COMMAND        of artisan
 */

use Illuminate\Http\Request;
use Symfony\Component\Console\Input\ArgvInput;

require __DIR__ . '/../../var/laravel/vendor/autoload.php';

$app = require __DIR__ . '/application.php';
\PHP_SAPI === 'cli' ? exit($app->handleCommand(new ArgvInput())) : $app->handleRequest(Request::capture());
