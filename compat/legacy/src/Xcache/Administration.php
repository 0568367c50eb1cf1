<?php

declare(strict_types=1);

namespace Larder\Legacy\Xcache;

use Larder\Legacy\Apc\Opcodes;
use Larder\Legacy\Entry;
use Larder\Legacy\Memory;
use Larder\Legacy\Number;
use Larder\Legacy\ServerVariables;
use Larder\Legacy\Setting;

/** What XCache's administration pages read and do. There is one cache of variables, and one of files, which is OPcache's. */
final class Administration
{
    private const HOURS = 24;
    private const SECONDS = 5;

    /**
     * Ends the request with 401 unless it has the user and password of php.ini, or xcache.admin.enable_auth is off. The
     * pages of applications rely on it.
     *
     * @throws \Error when php.ini has none
     */
    public static function authenticate(): void
    {
        if (!Setting::isOn('xcache.admin.enable_auth', true)) {
            return;
        }
        [$user, $hash] = [Setting::text('xcache.admin.user'), Setting::text('xcache.admin.pass')];
        if ($user === '' || \strlen($hash) !== 32) {
            throw new \Error("xcache.admin.user and/or xcache.admin.pass settings is not configured. Make sure you've modified the correct php ini file for your php used in webserver. xcache.admin.pass is the md5() of the password.");
        }
        [$givenUser, $givenPassword] = [ServerVariables::get('PHP_AUTH_USER'), ServerVariables::get('PHP_AUTH_PW')];
        if (\is_string($givenUser) && \is_string($givenPassword) && hash_equals($user, $givenUser) && hash_equals(strtolower($hash), md5($givenPassword))) {
            return;
        }
        header('HTTP/1.0 401 Unauthorized');
        header('WWW-Authenticate: Basic realm="XCache Administration"');
        echo 'XCache Authentication Failed';
        exit(1);
    }

    /** @return int|false the number of caches of a type; false, with a warning, if there is no such type */
    public static function count(string $function, int $type): int|false
    {
        if ($type !== XC_TYPE_PHP && $type !== XC_TYPE_VAR) {
            trigger_error("$function(): Unknown type $type", \E_USER_WARNING);

            return false;
        }

        return 1;
    }

    /** Whether there is such a cache, with a warning if not. */
    public static function exists(string $function, int $type, int $id, int $first = 0): bool
    {
        $count = self::count($function, $type);
        if ($count === false) {
            return false;
        }
        if ($id < $first || $id >= $count) {
            trigger_error("$function(): Cache not exists", \E_USER_WARNING);

            return false;
        }

        return true;
    }

    /** @return array<string, mixed> that of files is empty */
    public static function info(int $type): array
    {
        $segment = larder_info();
        $memory = Memory::of($segment);
        $free = $memory->free ?? 0;
        $isVariables = $type === XC_TYPE_VAR;
        $engine = $isVariables ? $segment : [];

        return [
            'slots' => Number::of($engine['slots'] ?? 0),
            'compiling' => 0,
            'disabled' => Variables::$isEnabled || !$isVariables ? 0 : time(),
            'updates' => Number::of($engine['stores'] ?? 0),
            'misses' => Number::of($engine['stores'] ?? 0),
            'hits' => Number::of($engine['hits'] ?? 0),
            'skips' => 0,
            'clogs' => 0,
            'ooms' => \is_array($engine['refusals'] ?? null) ? Number::of(array_sum($engine['refusals'])) : 0,
            'errors' => 0,
            'cached' => $isVariables ? iterator_count(Entry::all(Variables::PREFIX)) : 0,
            'deleted' => 0,
            'gc' => null,
            'hits_by_hour' => array_fill(0, self::HOURS, 0),
            'hits_by_second' => array_fill(0, self::SECONDS, 0),
            'size' => $memory->bytes ?? 0,
            'avail' => $free,
            'can_readonly' => true,
            'free_blocks' => [['size' => $free, 'offset' => 0]],
        ];
    }

    /** @return array<string, mixed> that of files is empty */
    public static function list(int $type): array
    {
        $list = [];
        foreach ($type === XC_TYPE_VAR ? Entry::all(Variables::PREFIX) : [] as $entry) {
            $list[] = [
                'hits' => $entry->hits,
                'ctime' => $entry->stored,
                'atime' => $entry->stored,
                'hvalue' => 0,
                'name' => $entry->key,
                'refcount' => 0,
                'size' => $entry->size,
            ];
        }

        return ['cache_list' => $list, 'deleted_list' => []];
    }

    public static function clear(int $type): void
    {
        $type === XC_TYPE_VAR ? larder_delete_prefix(Variables::PREFIX) : Opcodes::clear();
    }

    public static function enable(int $type, bool $enable): void
    {
        if ($type === XC_TYPE_VAR) {
            Variables::$isEnabled = $enable;
        }
    }
}
