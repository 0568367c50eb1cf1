<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** Shows and switches the caches of Larder. */
final class Command
{
    public function __construct(private readonly Setup $setup, private readonly Status $status) {}

    /** Shows the store, and which caches are on. The web server's PHP may have another store than the shell's. */
    public function status(): void
    {
        foreach ($this->status->rows() as $row) {
            \WP_CLI::line("$row[label]: $row[value]");
        }
    }

    /**
     * Switches caches on.
     *
     * ## OPTIONS
     *
     * [<cache>]
     * : One of them. Without it, both.
     * ---
     * options:
     *   - object
     *   - page
     * ---
     *
     * [--wp-config]
     * : Permits to set WP_CACHE in wp-config.php, which the page cache needs.
     *
     * @param list<string> $arguments
     * @param array<string, mixed> $options
     */
    public function enable(array $arguments, array $options): void
    {
        $mayEdit = ($options['wp-config'] ?? false) === true;
        $this->each($arguments, fn(Part $part) => $this->setup->enable($part, $mayEdit));
        $isWaiting = !$mayEdit && !Setup::isCacheSet() && $this->status->isPlaced(Part::PageCache);
        \WP_CLI::success($isWaiting ? $this->status->sentence(Part::PageCache) : __('Switched on.', 'larder'));
    }

    /**
     * Switches caches off, and removes from wp-config.php what `enable --wp-config` wrote.
     *
     * ## OPTIONS
     *
     * [<cache>]
     * : One of them. Without it, both.
     * ---
     * options:
     *   - object
     *   - page
     * ---
     *
     * @param list<string> $arguments
     */
    public function disable(array $arguments): void
    {
        $this->each($arguments, $this->setup->disable(...));
        \WP_CLI::success(__('Switched off.', 'larder'));
    }

    /**
     * Empties the caches.
     *
     * ## OPTIONS
     *
     * [--network]
     * : Of all sites of the network.
     *
     * @param list<string> $arguments
     * @param array<string, mixed> $options
     */
    public function flush(array $arguments, array $options): void
    {
        Caches::clear(($options['network'] ?? false) === true);
        \WP_CLI::success(__('The caches are empty.', 'larder'));
    }

    /**
     * @param list<string> $arguments
     * @param \Closure(Part): mixed $action
     */
    private function each(array $arguments, \Closure $action): void
    {
        $parts = isset($arguments[0]) ? [Part::from($arguments[0])] : Part::cases();
        $problems = [];
        foreach ($parts as $part) {
            try {
                $action($part);
            } catch (Refused $refused) {
                $problems[] = $refused->problem->text($refused->path);
            }
        }
        if ($problems !== []) {
            \WP_CLI::error(implode(' ', $problems));
        }
    }
}
