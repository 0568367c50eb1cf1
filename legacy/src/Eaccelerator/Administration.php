<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Legacy\Entry;
use Larder\Legacy\Setting;

/** What eAccelerator's control panel reads and does. There are no scripts: they are OPcache's today. */
final class Administration
{
    /** Whether the script that called is in eaccelerator.allowed_admin_path, with a warning if not. */
    public static function isAllowed(): bool
    {
        $script = debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2)[1]['file'] ?? '';
        foreach (explode(\PATH_SEPARATOR, Setting::text('eaccelerator.allowed_admin_path')) as $path) {
            $folder = $path === '' ? false : realpath($path);
            if ($folder !== false && str_starts_with((string) realpath($script) . '/', rtrim($folder, '/') . '/')) {
                return true;
            }
        }
        trigger_error("This script isn't in the allowed_admin_path setting!", \E_USER_WARNING);

        return false;
    }

    /** @return array<string, mixed> */
    public static function info(): array
    {
        $engine = larder_info();
        $memory = \is_array($engine['memory'] ?? null) ? $engine['memory'] : [];
        [$page, $pages, $free] = array_map(static fn(string $name): int => \is_int($memory[$name] ?? null) ? $memory[$name] : 0, ['page_size', 'pages', 'free']);

        return [
            'version' => EACCELERATOR_VERSION,
            'shm_type' => 'larder',
            'sem_type' => 'none',
            'logo' => '',
            'cache' => $engine['available'] === true,
            'optimizer' => false,
            'memorySize' => $pages * $page,
            'memoryAvailable' => $free * $page,
            'memoryAllocated' => ($pages - $free) * $page,
            'cachedScripts' => 0,
            'removedScripts' => 0,
            'cachedKeys' => iterator_count(Entry::all(Values::PREFIX)),
        ];
    }

    public static function clear(): void
    {
        Disk::open()?->files->clear();
        larder_delete_prefix(Values::PREFIX);
    }
}
