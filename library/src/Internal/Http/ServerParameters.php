<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

/** The server parameters that are equal for all visitors. A list of the others would never be complete. */
final class ServerParameters
{
    /** Those of the server and of the URL, as web servers and frameworks name them. */
    private const SHARED = '~^((REDIRECT_)+(STATUS|URL)|GATEWAY_INTERFACE|FCGI_ROLE'
        . '|SERVER_(ADDR|ADMIN|NAME|PORT|PORT_SECURE|PROTOCOL|SIGNATURE|SOFTWARE)'
        . '|REQUEST_(METHOD|SCHEME|URI|TIME|TIME_FLOAT)|HTTPS|QUERY_STRING|UNENCODED_URL|X_REWRITE_URL'
        . '|IIS_WasUrlRewritten|PHP_SELF|SCRIPT_(NAME|FILENAME|URI|URL)|DOCUMENT_(ROOT|URI)'
        . '|CONTEXT_(PREFIX|DOCUMENT_ROOT)|argv|argc|(ORIG_)?PATH_(INFO|TRANSLATED)|ORIG_SCRIPT_(NAME|FILENAME))$~D';

    /** Parameters of a visitor. PHP adds some itself, so getenv() does not know them. */
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

        if (preg_match(self::SHARED, $name) === 1 || preg_match(self::SHARED, $plain) === 1) {
            return true;
        }

        try {
            return self::isOfProcess($name, $value);
        } catch (\Error) {
            return false; // the host disables getenv(), so this is not known
        }
    }

    /** Apache names them so after an internal redirect. */
    public static function withoutRedirects(string $name): string
    {
        return (string) preg_replace('~^(REDIRECT_)+~', '', $name);
    }

    /**
     * True if it comes from the environment of the process, or the application (a file .env): not from the web server.
     */
    private static function isOfProcess(string $name, mixed $value): bool
    {
        $own = getenv($name, local_only: true);
        $isSet = \in_array($value, [$_SERVER[$name] ?? null, $_ENV[$name] ?? null], true);
        if (!isset($_SERVER['REQUEST_METHOD'])) { // the process takes requests itself
            return $isSet || $value === $own;
        }
        $isCgi = getenv('REQUEST_METHOD', local_only: true) !== false; // the environment is that of the request
        if ($own !== false && !$isCgi) {
            return $value === $own;
        }
        // getenv() has what the web server passes, but for FrankenPHP; PHP's own server passes nothing else.
        $isPassed = \PHP_SAPI !== 'cli-server' && (getenv('REQUEST_METHOD') === false || getenv($name) !== false);

        return $isSet && !$isPassed;
    }
}
