<?php

declare(strict_types=1);

namespace Larder\Cli\Operator;

use Larder\Internal\Key\ReservedKey;

/**
 * One password for the page. The cookie is signed by a key from the password's hash, so a new password ends all logins,
 * and no session is stored: who knows the hash can log in.
 */
final class Login
{
    public const VARIABLE = 'LARDER_PAGE_PASSWORD_HASH';
    public const COOKIE = 'larder-page';
    private const HOURS = 8;
    private const ATTEMPTS = 10;
    private const MINUTES = 10;
    /** More would only be work for the server. */
    private const LONGEST = 1000;

    private function __construct(private readonly string $hash) {}

    /** @return self|string a sentence if no password is configured */
    public static function configured(): self|string
    {
        $set = getenv(self::VARIABLE);
        // In FPM's configuration, a value that begins with $ is the name of a variable.
        $hash = '$' . ltrim((string) $set, '$');
        if ($set !== false && password_get_info($hash)['algo'] !== null) {
            return new self($hash);
        }

        $how = match ($set) {
            false => 'is not set',
            '' => 'is empty',
            default => 'is no hash of a password',
        };

        return self::VARIABLE . " in the configuration of this pool $how. "
            . 'Run this, and reload PHP-FPM: php vendor/larder/cli/page.php';
    }

    /** @return string the line for the pool's configuration */
    public static function line(#[\SensitiveParameter] string $password): string
    {
        return \sprintf('env[%s] = "%s"', self::VARIABLE, substr(password_hash($password, \PASSWORD_DEFAULT), 1));
    }

    /**
     * Attempts are counted by address, before they are judged: others cannot lock out an address, unless they come
     * through the same proxy and the web server does not replace its address (real_ip of nginx, mod_remoteip).
     *
     * @return string|null the cookie; null: the password is wrong, or too many were
     */
    public function attempt(#[\SensitiveParameter] string $password, string $address): ?string
    {
        $bytes = (string) @inet_pton($address);
        // An IPv4 address, as a socket for both names it.
        $bytes = str_starts_with($bytes, str_repeat("\0", 10) . "\xff\xff") ? substr($bytes, 12) : $bytes;
        // Who has an IPv6 address has 2^64 of them.
        $key = ReservedKey::attempts(bin2hex(\strlen($bytes) === 16 ? substr($bytes, 0, 8) : $bytes));
        $attempts = larder_increment($key, 1, 60 * self::MINUTES);
        if ($attempts === false || $attempts > self::ATTEMPTS || \strlen($password) > self::LONGEST) {
            return null; // also if they cannot be counted
        }
        if (!password_verify($password, $this->hash)) {
            return null;
        }
        larder_delete($key);
        $until = (string) (time() + 3600 * self::HOURS);

        return $until . '.' . $this->sign("login $until");
    }

    public function accepts(string $cookie): bool
    {
        [$until, $signature] = [...explode('.', $cookie, 2), ''];

        $left = (int) $until - time();

        return hash_equals($this->sign("login $until"), $signature) && $left > 0 && $left <= 3600 * self::HOURS;
    }

    /** Signs what a form of a page sends back: who sees one page cannot make the form of another login. */
    public function sign(string $what): string
    {
        return hash_hmac('sha256', $what, hash_hmac('sha256', 'larder page', $this->hash, true));
    }
}
