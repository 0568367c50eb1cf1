<?php

declare(strict_types=1);

namespace Larder\Http;

/** Which server parameters are the same for all visitors. A list of those that are not would never be complete. */
final class ServerParameters
{
    /** The server's and the URL's, as web servers and frameworks name them. */
    private const SHARED = '~^((REDIRECT_)+(STATUS|URL)|SERVER_(ADDR|ADMIN|NAME|PORT|PORT_SECURE|PROTOCOL|SIGNATURE|SOFTWARE)|GATEWAY_INTERFACE|FCGI_ROLE'
        . '|REQUEST_(METHOD|SCHEME|URI|TIME|TIME_FLOAT)|HTTPS|QUERY_STRING|UNENCODED_URL|X_REWRITE_URL|IIS_WasUrlRewritten'
        . '|PHP_SELF|SCRIPT_(NAME|FILENAME|URI|URL)|DOCUMENT_(ROOT|URI)|CONTEXT_(PREFIX|DOCUMENT_ROOT)|argv|argc'
        . '|(ORIG_)?PATH_(INFO|TRANSLATED)|ORIG_SCRIPT_(NAME|FILENAME))$~D';

    /** PHP adds some of these by itself, so that getenv() does not know them. */
    private const OF_VISITOR = '~^(REMOTE_|PHP_AUTH_|AUTH_TYPE$|CONTENT_(TYPE|LENGTH)$)~';

    /** @param list<string> $further patterns of fnmatch() */
    public function __construct(private readonly array $further) {}

    public function isShared(string $name, mixed $value): bool
    {
        $plain = self::withoutRedirects($name);
        if (preg_match(self::OF_VISITOR, $plain) === 1) {
            return false;
        }
        foreach ($this->further as $pattern) {
            if (fnmatch($pattern, $plain)) {
                return true;
            }
        }

        return preg_match(self::SHARED, $name) === 1 || preg_match(self::SHARED, $plain) === 1 || self::isOfProcess($name, $value);
    }

    /** Apache names them so after an internal redirect. */
    public static function withoutRedirects(string $name): string
    {
        return (string) preg_replace('~^(REDIRECT_)+~', '', $name);
    }

    /** Whether it is of the environment of the process, or set by the application, such as from a file .env: not told by the web server. */
    private static function isOfProcess(string $name, mixed $value): bool
    {
        $own = getenv($name, local_only: true);
        $isSet = \in_array($value, [$_SERVER[$name] ?? null, $_ENV[$name] ?? null], true);
        if (!isset($_SERVER['REQUEST_METHOD'])) { // it takes requests by itself
            return $isSet || $value === $own;
        }
        $isCgi = getenv('REQUEST_METHOD', local_only: true) !== false; // its environment is that of the request
        if ($own !== false && !$isCgi) {
            return $value === $own;
        }
        // In getenv() is what the web server tells; but FrankenPHP does not say it there, and PHP's own server tells nothing else.
        $isTold = \PHP_SAPI !== 'cli-server' && (getenv('REQUEST_METHOD') === false || getenv($name) !== false);

        return $isSet && !$isTold;
    }
}
