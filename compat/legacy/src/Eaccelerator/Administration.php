<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Legacy\Entry;
use Larder\Legacy\Memory;
use Larder\Legacy\Setting;

/** What eAccelerator's control panel reads and does. There are no scripts: they are OPcache's today. */
final class Administration
{
    /** Whether the script that called is in eaccelerator.allowed_admin_path, with a warning if not. */
    public static function isAllowed(): bool
    {
        // Calls that PHP itself makes have no file.
        $scripts = array_column(\array_slice(debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS), 1), 'file');
        $script = $scripts === [] ? false : realpath($scripts[0]);
        foreach (explode(\PATH_SEPARATOR, Setting::text('eaccelerator.allowed_admin_path')) as $path) {
            $folder = $path === '' ? false : realpath($path);
            if ($folder !== false && $script !== false && str_starts_with("$script/", rtrim($folder, '/') . '/')) {
                return true;
            }
        }
        trigger_error("This script isn't in the allowed_admin_path setting!", \E_USER_WARNING);

        return false;
    }

    /** @return array<string, mixed> */
    public static function info(): array
    {
        $memory = Memory::of(larder_info());
        [$bytes, $free] = [$memory->bytes ?? 0, $memory->free ?? 0];

        return [
            'version' => EACCELERATOR_VERSION,
            'shm_type' => 'larder',
            'sem_type' => 'none',
            'logo' => '',
            'cache' => $memory !== null,
            'optimizer' => false,
            'memorySize' => $bytes,
            'memoryAvailable' => $free,
            'memoryAllocated' => $bytes - $free,
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
