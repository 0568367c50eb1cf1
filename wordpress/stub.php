<?php

declare(strict_types=1);

// What PHPStan does not know of WordPress and WP-CLI, as far as the plugin uses it.

const ABSPATH = '/srv/www/';
const WP_CONTENT_DIR = '/srv/www/wp-content';
const DB_HOST = 'localhost';
const DB_NAME = 'wordpress';

class WP_CLI
{
    public static function add_command(string $name, object $command): bool {}

    public static function line(string $text): void {}

    public static function success(string $text): void {}

    public static function error(string $text): never {}
}
