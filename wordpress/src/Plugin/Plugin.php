<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

use Larder\WordPress\Backend;
use Larder\WordPress\PageCache\Purge;

/** The plugin in one request. */
final class Plugin
{
    /** @param string $file main file of the plugin */
    public static function register(string $file): void
    {
        if (!\defined('LARDER_OBJECT_CACHE')) {
            require \dirname($file) . '/object-cache.php'; // for what is written while it is moved away from wp-content
        }
        Purge::register();
        add_action('admin_bar_menu', self::addToBar(...), 90);
        register_deactivation_hook($file, static fn() => self::disable(Setup::ofSite(\dirname($file))));
        $isCommand = \defined('WP_CLI') && \constant('WP_CLI') === true;
        if (!is_admin() && !wp_doing_cron() && !$isCommand) {
            return; // a page loads no more of the plugin
        }
        $setup = Setup::ofSite(\dirname($file));
        $status = new Status($setup);
        add_action('admin_init', static fn() => self::check($file, $setup));
        add_action('upgrader_process_complete', $setup->update(...), 10, 0);
        (new Actions($setup))->register();
        (new StatusPage($status))->register();
        (new SiteHealth($status))->register();
        if ($isCommand) {
            \WP_CLI::add_command('larder', new Command($setup, $status));
        }
    }

    private static function disable(Setup $setup): void
    {
        foreach (Part::cases() as $part) {
            try {
                $setup->disable($part);
            } catch (Refused) {
                // What stays is harmless: without the plugin's hooks no page is stored.
            }
        }
    }

    /** For a user who reads the sentence: a shell may have another PHP than the web server. */
    private static function check(string $file, Setup $setup): void
    {
        $setup->update();
        if (Backend::open() !== null || wp_doing_ajax() || !current_user_can(Access::manage())) {
            return;
        }
        deactivate_plugins(plugin_basename($file));
        unset($_GET['activate']); // or WordPress says that the plugin is activated
        foreach (['admin_notices', 'network_admin_notices'] as $hook) {
            add_action($hook, static function (): void {
                echo '<div class="notice notice-error"><p>', esc_html(Status::withoutStore()), '</p></div>';
            });
        }
    }

    private static function addToBar(\WP_Admin_Bar $bar): void
    {
        if (current_user_can(Access::manage())) {
            $bar->add_node([
                'id' => 'larder',
                'title' => esc_html__('Empty the caches', 'larder'),
                'href' => Actions::emptyAddress(),
            ]);
        }
    }
}
