<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** The one place that names capabilities. */
final class Access
{
    /** Sees the status, empties the caches, places drop-ins, edits wp-config.php: these concern a whole network. */
    public static function manage(): string
    {
        return is_multisite() ? 'manage_network_options' : 'manage_options';
    }
}
