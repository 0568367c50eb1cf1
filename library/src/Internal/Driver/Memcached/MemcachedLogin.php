<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Server\TlsErrorHint;
use Larder\Server\ConnectionSettings;

/** Logs a new stream in, and reports why that failed. */
final class MemcachedLogin
{
    /** Bytes of a reply to a login. */
    private const LONGEST_REPLY = 400;
    public const REFUSED = 'the server refuses the user name or the password';

    /** @param string $store the scheme, for messages */
    public function __construct(private readonly string $store, private readonly ConnectionSettings $settings) {}

    /**
     * With TLS, this is needed without a login too: only now the server reports whether it accepts the client's
     * certificate.
     *
     * @param resource $stream it is closed if this fails
     * @param array{string, string} $login
     * @param list<string> $warnings warnings so far
     * @throws StoreUnavailable
     */
    public function logIn(mixed $stream, #[\SensitiveParameter] array $login, array &$warnings): void
    {
        [$asks, $hasLogin] = [$this->reply($stream, "version\r\n"), $login !== ['', '']];
        [$user, $password] = $login;
        // A server without logins would store the credentials as an item that all can read.
        $isOpen = str_starts_with($asks, 'VERSION ');
        $problem = match (true) {
            $asks === ''
                => $this->unavailable($warnings, \sprintf('no reply within %s s', $this->settings->readTimeout)),
            $isOpen && $hasLogin => StoreUnavailable::because(
                $this->store,
                \sprintf('%s asks for no user and no password', $this->settings->endpoint),
                'Take them out of the DSN, or start memcached with -Y',
            ),
            $isOpen => null,
            !$hasLogin => StoreUnavailable::because(
                $this->store,
                \sprintf('%s asks for a user and a password', $this->settings->endpoint),
                'Put them into the DSN: memcached://user:password@host',
            ),
            $this->reply(
                $stream,
                \sprintf("set login 0 0 %d\r\n%s %s\r\n", \strlen($user . ' ' . $password), $user, $password),
            ) === "STORED\r\n" => null,
            default => StoreUnavailable::because(
                $this->store,
                \sprintf('cannot connect to %s: %s', $this->settings->endpoint, self::REFUSED),
                'Are they in the file of memcached -Y, and without spaces?',
            ),
        };
        if ($problem !== null) {
            fclose($stream);

            throw $problem;
        }
    }

    /** @param list<string> $warnings */
    public function unavailable(array $warnings, string $reason): StoreUnavailable
    {
        $tls = TlsErrorHint::of($this->settings, [...$warnings, $reason]);

        return StoreUnavailable::because(
            $this->store,
            \sprintf('cannot connect to %s: %s', $this->settings->endpoint, $tls->what ?? $reason),
            $tls->how ?? (str_ends_with($reason, 'Permission denied')
                ? 'Let this user use the socket, by its group or memcached -a'
                : 'Is memcached running there? To install it: apt-get install memcached'),
        );
    }

    /**
     * @param resource $stream
     * @return string a line; empty if none comes in time
     */
    private function reply(mixed $stream, #[\SensitiveParameter] string $request): string
    {
        $deadline = (int) hrtime(true) + (int) (1e9 * $this->settings->readTimeout);
        fwrite($stream, $request);
        $reply = '';
        while (!str_ends_with($reply, "\n") && \strlen($reply) < self::LONGEST_REPLY) {
            $left = $deadline - (int) hrtime(true);
            if ($left <= 0) {
                return '';
            }
            stream_set_timeout($stream, intdiv($left, 1_000_000_000), max(1, intdiv($left % 1_000_000_000, 1000)));
            $part = (string) fread($stream, self::LONGEST_REPLY);
            if ($part === '') {
                return '';
            }
            $reply .= $part;
        }

        return $reply;
    }
}
