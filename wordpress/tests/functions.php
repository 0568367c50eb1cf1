<?php

declare(strict_types=1);

// The functions of WordPress that the caches call, as far as their tests need them.

namespace Larder\WordPress\Tests {
    /** What a test says to these functions, and what they were told. */
    final class Calls
    {
        public static bool $isMultisite = false;
        public static int $blog = 1;
        public static bool $isAdditionSuspended = false;
        public static bool $isAdministrator = false;
        /** @var array<int, array<string, mixed>> by blog */
        public static array $options = [];
        /** @var list<int> */
        public static array $deletedBlogs = [];
        /** @var list<string> */
        public static array $wrong = [];
        /** @var array<string, list<\Closure>> */
        public static array $hooks = [];

        public static function reset(): void
        {
            self::$isMultisite = self::$isAdditionSuspended = self::$isAdministrator = false;
            self::$blog = 1;
            self::$wrong = self::$hooks = self::$options = self::$deletedBlogs = [];
        }

        public static function countWrong(): int
        {
            return \count(self::$wrong);
        }

        /** Calls what is hooked, and returns the last argument or result. */
        public static function fire(string $hook, mixed ...$arguments): mixed
        {
            foreach (self::$hooks[$hook] ?? [] as $callback) {
                $arguments[0] = $callback(...$arguments) ?? $arguments[0] ?? null;
            }

            return $arguments[0] ?? null;
        }
    }

    final class Site
    {
        public string $blog_id = '3';
        public string $archived = '0';
        public string $last_updated = '';

        /** @return mixed[] */
        public function to_array(): array
        {
            return get_object_vars($this);
        }
    }
}

namespace {
    use Larder\WordPress\Tests\Calls;

    defined('ABSPATH') || define('ABSPATH', '/nowhere/');

    if (!function_exists('is_multisite')) {
        function is_multisite(): bool
        {
            return Calls::$isMultisite;
        }
    }
    if (!function_exists('get_current_blog_id')) {
        function get_current_blog_id(): int
        {
            return Calls::$blog;
        }
    }
    if (!function_exists('wp_suspend_cache_addition')) {
        function wp_suspend_cache_addition(): bool
        {
            return Calls::$isAdditionSuspended;
        }
    }
    if (!function_exists('_doing_it_wrong')) {
        function _doing_it_wrong(string $function, string $message, string $version): void
        {
            Calls::$wrong[] = $message;
        }
    }
    if (!function_exists('add_filter')) {
        function add_filter(string $hook, Closure $callback, int $priority = 10, int $arguments = 1): true
        {
            Calls::$hooks[$hook][] = $callback;

            return true;
        }
    }
    if (!function_exists('add_action')) {
        function add_action(string $hook, Closure $callback, int $priority = 10, int $arguments = 1): true
        {
            return add_filter($hook, $callback, $priority, $arguments);
        }
    }
    if (!function_exists('do_action')) {
        function do_action(string $hook): void
        {
            Calls::fire($hook);
        }
    }
    if (!function_exists('esc_html')) {
        function esc_html(string $text): string
        {
            return htmlspecialchars($text);
        }
    }
    if (!function_exists('update_option')) {
        function update_option(string $name, mixed $value, ?bool $autoload = null): bool
        {
            return update_blog_option(Calls::$blog, $name, $value);
        }
    }
    if (!function_exists('update_blog_option')) {
        function update_blog_option(int $blog, string $name, mixed $value): bool
        {
            Calls::$options[$blog][$name] = $value;

            return true;
        }
    }
    if (!function_exists('get_sites')) {
        /**
         * @param array<string, mixed> $arguments
         * @return list<int>
         */
        function get_sites(array $arguments = []): array
        {
            return [1, 2, 3];
        }
    }
    class_exists('WP_Site') || class_alias(Larder\WordPress\Tests\Site::class, 'WP_Site');
    if (!function_exists('get_site')) {
        function get_site(int $blog): ?WP_Site
        {
            return in_array($blog, Calls::$deletedBlogs, true) ? null : new WP_Site((object) []);
        }
    }
    if (!function_exists('is_ssl')) {
        function is_ssl(): bool
        {
            return false;
        }
    }
    if (!function_exists('wp_get_current_user')) {
        function wp_get_current_user(): stdClass
        {
            return new stdClass();
        }
    }
    if (!function_exists('current_user_can')) {
        function current_user_can(string $capability): bool
        {
            return Calls::$isAdministrator;
        }
    }
}
