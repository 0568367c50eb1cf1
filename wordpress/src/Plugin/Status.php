<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

use Larder\WordPress\Backend;

/** What the status page, Site Health and the command say. */
final class Status
{
    public function __construct(private readonly Setup $setup) {}

    public function isOn(Part $part): bool
    {
        return Backend::open() !== null && $this->isPlaced($part)
            && ($part === Part::ObjectCache || (Setup::isCacheSet() && \extension_loaded('larder')));
    }

    public function isPlaced(Part $part): bool
    {
        return $this->setup->dropIn($part)->state()->isOurs();
    }

    public function sentence(Part $part): string
    {
        $dropIn = $this->setup->dropIn($part);

        return match (true) {
            $dropIn->state() === DropInState::Foreign => Problem::Foreign->text($dropIn->path),
            $dropIn->state() === DropInState::Absent => __('Off.', 'larder'),
            $part === Part::PageCache && !Setup::isCacheSet() => self::missingLine(),
            $part === Part::PageCache && !\extension_loaded('larder') => __(
                'Does nothing, because the extension larder is not loaded.',
                'larder',
            ),
            $dropIn->state() === DropInState::Outdated => \sprintf(
                /* translators: %s: path of a file */
                __('On, by the file of another version. This user cannot update %s.', 'larder'),
                $dropIn->path,
            ),
            default => __('On.', 'larder'),
        };
    }

    public static function withoutStore(): string
    {
        /* translators: %s: a sentence about the reason */
        return \sprintf(__('Larder is switched off: %s', 'larder'), Backend::reason());
    }

    /** @return array<string, array{label: string, value: string}> for Site Health; no value of the cache, no login */
    public function rows(): array
    {
        $store = Backend::open()?->title() ?? Backend::reason();
        $rows = ['store' => ['label' => __('Store', 'larder'), 'value' => $store]];
        foreach (Part::cases() as $part) {
            $rows[$part->value] = ['label' => $part->title(), 'value' => $this->sentence($part)];
        }

        return $rows;
    }

    private static function missingLine(): string
    {
        return \sprintf(
            /* translators: %s: a line of PHP code */
            __('Waits for this line in wp-config.php, right after <?php: %s', 'larder'),
            ConfigSource::LINE,
        );
    }
}
