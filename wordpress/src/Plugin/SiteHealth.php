<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A test and a section of Tools → Site Health. */
final class SiteHealth
{
    public function __construct(private readonly Status $status) {}

    public function register(): void
    {
        add_filter('site_status_tests', function (mixed $tests): mixed {
            if (\is_array($tests) && \is_array($tests['direct'] ?? null)) {
                $tests['direct']['larder'] = ['label' => 'Larder', 'test' => $this->test(...)];
            }

            return $tests;
        });
        add_filter('debug_information', function (mixed $sections): mixed {
            if (\is_array($sections)) {
                $sections['larder'] = ['label' => 'Larder', 'fields' => $this->status->rows()];
            }

            return $sections;
        });
        add_filter('site_status_available_object_cache_services', static function (mixed $services): mixed {
            return \is_array($services) && \extension_loaded('larder') ? [...$services, 'Larder'] : $services;
        });
    }

    /** @return array<string, mixed> */
    private function test(): array
    {
        $isOn = array_reduce(Part::cases(), fn(bool $on, Part $part): bool => $on && $this->status->isOn($part), true);
        $description = '';
        foreach ($this->status->rows() as $row) {
            $description .= '<p>' . esc_html($row['label']) . ': ' . esc_html($row['value']) . '</p>';
        }

        return [
            'label' => $isOn
                ? __('Larder caches objects and pages', 'larder')
                : __('A cache of Larder is switched off', 'larder'),
            'status' => $isOn ? 'good' : 'recommended',
            'badge' => ['label' => __('Performance', 'larder'), 'color' => 'blue'],
            'description' => $description,
            'actions' => '<p><a href="' . esc_url(StatusPage::address()) . '">'
                . esc_html__('Status of Larder', 'larder') . '</a></p>',
            'test' => 'larder',
        ];
    }
}
