<?php

declare(strict_types=1);

/* Added to cache.stores, unless the application has stores of these names. */

return [
    'larder' => [
        'driver' => 'larder',
        'dsn' => env('LARDER_DSN') ?: 'auto:',
    ],
];
