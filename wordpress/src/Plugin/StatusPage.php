<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

use Larder\WordPress\Backend;

/** Tools → Larder; in a network also Settings → Larder of the network. It shows no value of the cache. */
final class StatusPage
{
    /** Query parameters by which a redirection says what an action did. */
    public const RESULTS = ['larder_done', 'larder_problem', 'larder_file'];

    private const SLUG = 'larder';

    public function __construct(private readonly Status $status) {}

    public function register(): void
    {
        add_action('admin_menu', function (): void {
            add_management_page('Larder', 'Larder', Access::manage(), self::SLUG, $this->show(...));
        });
        add_action('network_admin_menu', function (): void {
            add_submenu_page('settings.php', 'Larder', 'Larder', Access::manage(), self::SLUG, $this->show(...));
        });
    }

    public static function address(): string
    {
        return is_multisite()
            ? network_admin_url('settings.php?page=' . self::SLUG)
            : admin_url('tools.php?page=' . self::SLUG);
    }

    private function show(): void
    {
        echo '<div class="wrap"><h1>Larder</h1>';
        $this->showResult();
        $backend = Backend::open();
        if ($backend === null) {
            echo '<div class="notice notice-error inline"><p>', esc_html(Status::withoutStore()), '</p></div>';
        } else {
            echo '<p>';
            /* translators: %s: name of a store, such as APCu */
            echo esc_html(\sprintf(__('The caches are kept in %s.', 'larder'), $backend->title())), '</p>';
        }
        echo '<table class="widefat striped"><tbody>';
        foreach (Part::cases() as $part) {
            echo '<tr><th scope="row">', esc_html($part->title()), '</th><td>';
            echo esc_html($this->status->sentence($part)), '</td><td>';
            $this->showForms($part);
            echo '</td></tr>';
        }
        echo '</tbody></table><p><a class="button" id="larder-empty" href="', esc_url(Actions::emptyAddress()), '">';
        echo esc_html__('Empty the caches', 'larder'), '</a></p><h2>';
        echo esc_html__('Who can read it', 'larder'), '</h2><p>';
        echo esc_html(implode(' ', [
            __('The cache contains session tokens and keys.', 'larder'),
            __('All sites that run as the same system user can read and change each other\'s entries.', 'larder'),
            __('In APCu, so can all sites of the same PHP-FPM or Apache, whatever their users.', 'larder'),
            __('Run sites that must not trust each other as different users.', 'larder'),
        ]));
        echo '</p></div>';
    }

    private function showResult(): void
    {
        $problem = self::result('larder_problem');
        foreach (Problem::cases() as $case) {
            if ($case->name === $problem) {
                echo '<div class="notice notice-error"><p>';
                echo esc_html($case->text(sanitize_file_name(self::result('larder_file')))), '</p></div>';
            }
        }
        $text = match (self::result('larder_done')) {
            'enable' => __('Switched on.', 'larder'),
            'disable' => __('Switched off.', 'larder'),
            'empty' => __('The caches are empty.', 'larder'),
            default => null,
        };
        if ($text !== null) {
            echo '<div class="notice notice-success"><p>', esc_html($text), '</p></div>';
        }
    }

    private function showForms(Part $part): void
    {
        $needsLine = $part === Part::PageCache && !Setup::isCacheSet();
        if (!$this->status->isPlaced($part) || $needsLine) {
            $this->showForm($part, 'enable', $needsLine);
        }
        if ($this->status->isPlaced($part)) {
            $this->showForm($part, 'disable', false);
        }
    }

    /**
     * @param 'enable'|'disable' $do
     * @param bool $asks true: for the permission to edit wp-config.php
     */
    private function showForm(Part $part, string $do, bool $asks): void
    {
        echo '<form method="post" action="', esc_url(admin_url('admin-post.php')), '">';
        foreach (['action' => Actions::NAME, 'part' => $part->value, 'do' => $do] as $name => $value) {
            echo '<input type="hidden" name="', esc_attr($name), '" value="', esc_attr($value), '">';
        }
        wp_nonce_field(Actions::nonce($do));
        if ($asks) {
            echo '<p><label><input type="checkbox" name="config" value="1"> ';
            /* translators: %s: a line of PHP code */
            echo esc_html(\sprintf(__('Write %s into wp-config.php', 'larder'), ConfigSource::LINE)), '</label></p>';
        }
        echo '<button class="button" id="', esc_attr("larder-$do-$part->value"), '">';
        echo $do === 'enable' ? esc_html__('Switch on', 'larder') : esc_html__('Switch off', 'larder');
        echo '</button></form>';
    }

    private static function result(string $name): string
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- it only chooses a sentence
        $value = $_GET[$name] ?? '';

        return \is_string($value) ? sanitize_text_field(wp_unslash($value)) : '';
    }
}
