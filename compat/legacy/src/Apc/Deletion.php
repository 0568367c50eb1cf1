<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

/** What apc_delete() and apc_delete_file() make of their argument. */
final class Deletion
{
    /**
     * @param string $function for its warnings
     * @param \Closure(string): bool $delete deletes one; false if there is none
     * @return bool|array<mixed>|null for a list what is not deleted; null, with a warning, for what is no name
     */
    public static function of(string $function, mixed $names, \Closure $delete): bool|array|null
    {
        if (\is_string($names)) {
            return $delete($names);
        }
        if ($names instanceof \APCIterator) {
            return $names->delete();
        }
        if (!\is_array($names)) {
            self::refuse($function);

            return null;
        }
        $absent = [];
        foreach ($names as $name) {
            if (!\is_string($name)) {
                self::refuse($function);
            }
            if (!\is_string($name) || !$delete($name)) {
                $absent[] = $name;
            }
        }

        return $absent;
    }

    private static function refuse(string $function): void
    {
        trigger_error("$function(): $function() expects a string, array of strings, or APCIterator instance.", \E_USER_WARNING);
    }
}
