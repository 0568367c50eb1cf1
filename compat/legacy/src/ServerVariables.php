<?php

declare(strict_types=1);

namespace Larder\Legacy;

/**
 * Elements of $_SERVER. Some applications put an object in its place that refuses to be read, as phpBB 3.1 does; then they
 * are those of the moment when this package was loaded. While it is an array it is read, because a worker loads the package
 * once and serves many requests.
 */
final class ServerVariables
{
    private const NAMES = ['SERVER_NAME', 'HTTP_IF_NONE_MATCH', 'PHP_AUTH_USER', 'PHP_AUTH_PW'];

    /** @var mixed[] */
    private static array $kept = [];

    /** Keeps what these functions read. */
    public static function keep(): void
    {
        self::$kept = array_intersect_key(self::elements($_SERVER), array_flip([...self::NAMES, Setting::text('xcache.var_namespace')]));
    }

    /** Null if there is none. */
    public static function get(string $name): mixed
    {
        // PHP unsets an object in $_SERVER before it prints the last output.
        return self::elements($GLOBALS['_SERVER'] ?? null)[$name] ?? null;
    }

    /** @return mixed[] */
    private static function elements(mixed $server): array
    {
        return \is_array($server) ? $server : self::$kept;
    }
}
