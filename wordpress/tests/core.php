<?php

declare(strict_types=1);

// What the plugin finds of WordPress when it is loaded, on a page.

function wp_cache_get(int|string $key, string $group = ''): mixed
{
    return false;
}

function wp_cache_flush(): bool
{
    return true;
}

function register_deactivation_hook(string $file, callable $callback): void {}

function is_admin(): bool
{
    return false;
}

function wp_doing_cron(): bool
{
    return false;
}
