<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

use Larder\WordPress\PageCache\Purge;

/** Switches the caches on and off. The files of the site are the only record of that. */
final class Setup
{
    public function __construct(
        private readonly string $plugin,
        private readonly string $content,
        private readonly ConfigFile $config,
    ) {}

    /** @param string $plugin folder of the plugin */
    public static function ofSite(string $plugin): self
    {
        $config = ABSPATH . 'wp-config.php';
        // WordPress looks there, too.
        $above = \dirname(ABSPATH) . '/wp-config.php';
        $isAbove = !is_file($config) && is_file($above) && !is_file(\dirname(ABSPATH) . '/wp-settings.php');

        return new self($plugin, WP_CONTENT_DIR, new ConfigFile($isAbove ? $above : $config));
    }

    public function dropIn(Part $part): DropIn
    {
        return new DropIn("$this->plugin/{$part->file()}", "$this->content/{$part->file()}");
    }

    /**
     * Takes effect with the next request. A page cache also needs WP_CACHE in wp-config.php.
     *
     * @param bool $mayEdit true if the user permits to edit wp-config.php
     * @throws Refused
     */
    public function enable(Part $part, bool $mayEdit = false): void
    {
        $dropIn = $this->dropIn($part);
        if ($dropIn->state() === DropInState::Absent) {
            Caches::forget(); // what they know is as old as the last time they were on
        }
        $dropIn->place();
        if ($part === Part::PageCache && $mayEdit && !self::isCacheSet()) {
            $this->config->setCache();
        }
    }

    /** @throws Refused after it has tried all */
    public function disable(Part $part): void
    {
        $refused = null;
        try {
            if ($part === Part::PageCache && $this->dropIn($part)->state() !== DropInState::Foreign) {
                Purge::purgeAll(true); // who puts the file back by hand gets no old pages
                $this->config->unsetCache();
            }
        } catch (Refused $refused) {
            // WP_CACHE without the file does nothing
        }
        $this->dropIn($part)->remove();
        if ($refused !== null && $refused->problem !== Problem::NotParsed) {
            throw $refused;
        }
    }

    /** Updates the drop-ins of another version. One that cannot be written stays, and the status says so. */
    public function update(): void
    {
        foreach (Part::cases() as $part) {
            $dropIn = $this->dropIn($part);
            if ($dropIn->state() === DropInState::Outdated) {
                try {
                    $dropIn->place();
                } catch (Refused) {
                }
            }
        }
    }

    public static function isCacheSet(): bool
    {
        return \defined('WP_CACHE') && \constant('WP_CACHE') === true;
    }
}
