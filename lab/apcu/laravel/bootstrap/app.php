<?php

declare(strict_types=1);

use Illuminate\Foundation\Application;

return Application::configure(dirname(__DIR__))
    ->withRouting(web: __DIR__ . '/../routes.php')->withMiddleware()->withExceptions()
    ->create()
    ->useStoragePath((string) getenv('SHOP_DATA'));
