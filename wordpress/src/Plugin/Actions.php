<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** Requests of the buttons and links: each has a nonce of its own, and needs the capability. */
final class Actions
{
    public const NAME = 'larder';

    public function __construct(private readonly Setup $setup) {}

    public function register(): void
    {
        add_action('admin_post_' . self::NAME, $this->handle(...));
    }

    /** @param 'enable'|'disable'|'empty' $do */
    public static function nonce(string $do): string
    {
        return self::NAME . '-' . $do;
    }

    /** On the screens of a network for all sites, else for the present one. */
    public static function emptyAddress(): string
    {
        $parameters = ['action' => self::NAME, 'do' => 'empty', 'network' => is_network_admin() ? '1' : '0'];
        $address = add_query_arg($parameters, admin_url('admin-post.php'));

        return wp_nonce_url($address, self::nonce('empty'));
    }

    private function handle(): void
    {
        $do = self::parameter('do');
        if (!\in_array($do, ['enable', 'disable', 'empty'], true)) {
            wp_die(esc_html__('There is no such action.', 'larder'), '', ['response' => 400]);
        }
        check_admin_referer(self::nonce($do));
        if (!current_user_can(Access::manage())) {
            wp_die(esc_html__('You may not manage the caches of this site.', 'larder'), '', ['response' => 403]);
        }
        $result = ['larder_done' => $do];
        try {
            $this->execute($do, Part::tryFrom(self::parameter('part')));
        } catch (Refused $refused) {
            $result = ['larder_problem' => $refused->problem->name, 'larder_file' => basename($refused->path)];
        }
        $back = wp_get_referer();
        $back = $back === false ? StatusPage::address() : remove_query_arg(StatusPage::RESULTS, $back);
        wp_safe_redirect(add_query_arg($result, $back));
        exit;
    }

    /** @throws Refused */
    private function execute(string $do, ?Part $part): void
    {
        if ($do === 'empty') {
            Caches::clear(self::parameter('network') === '1');
        } elseif ($part !== null && $do === 'enable') {
            $this->setup->enable($part, self::parameter('config') === '1');
        } elseif ($part !== null) {
            $this->setup->disable($part);
        }
    }

    private static function parameter(string $name): string
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- handle() verifies it
        $value = $_REQUEST[$name] ?? '';

        return \is_string($value) ? sanitize_key(wp_unslash($value)) : '';
    }
}
