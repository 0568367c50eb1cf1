<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Server\TlsErrorHint;
use Larder\Server\ConnectionSettings;

/** Explains why a connection to a Redis or Valkey server failed, from the client's message, and what to do about it. */
final class RedisErrorHint
{
    private const SPECIAL = 'Special characters in them are written %2F for /, %3F for ?, %40 for @';

    /** Message of the client => its meaning, and the remedy. */
    private const KNOWN = [
        'NOAUTH' => [
            'the server asks for a password',
            'Put it into the DSN: redis://:password@host or redis://user:password@host',
        ],
        'WRONGPASS|invalid (username|password)|AUTH.*(without any|called)' => [
            'the server refuses the user name or the password',
            'Are they right? ' . self::SPECIAL,
        ],
        'NOPERM' => [
            'the server does not let this user do what the store needs',
            'Give the user the rights by ACL SETUSER: docs/stores.md lists them',
        ],
        'out of range|invalid DB|DB index' => [
            'the server does not have the database of the option database',
            'Take another one, or raise databases in redis.conf',
        ],
        'getaddrinfo|resolve|Name or service|nodename' => [
            'the name of the host cannot be resolved',
            'Is it spelled correctly, and does the DNS of this machine know it?',
        ],
        'read error|error on read|Operation has timed out|error while reading|connection lost|went away|already at the end' => [
            'the server answers nothing',
            'Is it overloaded? Does it speak TLS on this port? Then the scheme is rediss: or valkeys:',
        ],
        'Permission denied' => [
            'permission denied',
            'Is the user of this process in the group that may use the socket? ls -l shows it',
        ],
    ];

    /** Server's messages about logins, and the part of each that is repeated. */
    private const OF_LOGINS = [
        'NOAUTH' => 'NOAUTH Authentication required',
        'WRONGPASS|ERR invalid (username|password)' => 'WRONGPASS invalid username-password pair or user is disabled',
        'NOPERM' => 'NOPERM AUTH',
        'ERR (AUTH|Client sent AUTH)' => 'ERR AUTH called without any password configured',
        'ERR max number of clients' => 'ERR max number of clients reached',
        'ERR unknown command' => 'ERR unknown command AUTH',
        'ERR wrong number of arguments' => 'ERR wrong number of arguments for AUTH',
        'LOADING' => 'LOADING the server reads its data',
        'MASTERDOWN' => 'MASTERDOWN',
    ];

    /** Messages of a server that answers but refuses requests => the remedy. */
    private const OF_REQUESTS = [
        'READONLY' => 'It is a replica. Name its master, or the sentinels: redis+sentinel://…/name',
        'MISCONF' => 'Its log says why it cannot write its snapshots. A cache needs none: save ""',
        'NOREPLICAS' => 'Fewer replicas follow it than min-replicas-to-write demands. '
            . 'A cache needs none: min-replicas-to-write 0',
        'NOPERM' => 'Give the user the rights by ACL SETUSER: docs/stores.md lists them',
    ];

    public static function ofRequest(StoreFailed $failure): StoreUnavailable
    {
        foreach (self::OF_REQUESTS as $word => $how) {
            if (str_contains($failure->what, ": $word ")) {
                return StoreUnavailable::because('redis', 'it refuses requests: ' . $failure->what, $how, $failure);
            }
        }

        return StoreUnavailable::because('redis', $failure->what, 'Is the server overloaded?', $failure);
    }

    /**
     * @param string $message of the client
     * @param list<string> $warnings warnings of PHP during the connect
     */
    public static function of(ConnectionSettings $settings, string $message, array $warnings): StoreUnavailable
    {
        $endpoint = $settings->endpoint;
        $tls = TlsErrorHint::of($settings, [...$warnings, $message]);
        if ($tls !== null) {
            return StoreUnavailable::because(
                'redis',
                \sprintf('no connection to %s: %s', $endpoint, $tls->what),
                $tls->how,
            );
        }
        $said = rtrim((string) preg_replace('~\s*\[\S*\]$~D', '', $message), '. ');
        foreach (self::KNOWN as $pattern => [$what, $how]) {
            if (preg_match("~$pattern~i", $said) === 1) {
                return StoreUnavailable::because(
                    'redis',
                    \sprintf('no connection to %s: %s (%s)', $endpoint, $what, $said),
                    $how,
                );
            }
        }

        return StoreUnavailable::because(
            'redis',
            \sprintf('no connection to %s (%s)', $endpoint, $said),
            'Is Redis running there? To install it: apt-get install redis-server',
        );
    }

    /**
     * A server may repeat the credentials in its message, as one does that does not support AUTH. So only known
     * messages are repeated.
     *
     * @param string $answer the server's answer to AUTH
     * @return string contains no part of the answer
     */
    public static function ofLogin(#[\SensitiveParameter] string $answer): string
    {
        foreach (self::OF_LOGINS as $pattern => $words) {
            if (preg_match("~^($pattern)~i", $answer) === 1) {
                return $words;
            }
        }

        return 'the answer to AUTH is an error';
    }

    /** True if the server is reachable and refuses this client. */
    public static function isRefusal(string $message): bool
    {
        return preg_match('~NOAUTH|WRONGPASS|NOPERM|refuses the user name~', $message) === 1;
    }
}
