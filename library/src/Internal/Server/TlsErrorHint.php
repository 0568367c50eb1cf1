<?php

declare(strict_types=1);

namespace Larder\Internal\Server;

use Larder\Internal\Process\Warnings;
use Larder\Server\ConnectionSettings;

/**
 * Why TLS failed, by the warnings of PHP and OpenSSL, and what to do about it.
 *
 * @phpstan-type Name array<string, string|list<string>>
 * @phpstan-type Certificate array{
 *     validFrom_time_t: int, validTo_time_t: int, subject: Name, issuer: Name, extensions?: array<string, string>,
 * }
 */
final class TlsErrorHint
{
    private const KNOWN = [
        'alert (certificate required|handshake failure)' => [
            'the server asks for a client certificate',
            'Give one: tls_cert_file=/path and tls_key_file=/path',
        ],
        'alert (unknown ca|bad certificate|certificate \w+|unsupported certificate|access denied|decrypt error)' => [
            'the server refuses the client certificate',
            'Is it signed by the CA that the server trusts, and still valid?',
        ],
        'handshake timed out' => [
            'no answer to the TLS handshake in time',
            'Is this the port on which the server speaks TLS? Is connect_timeout= too short?',
        ],
        'cafile|verify locations' => [
            'the file of tls_ca_file has no certificate',
            'It holds the certificates of the CA in PEM: -----BEGIN CERTIFICATE-----',
        ],
        'local cert|private key' => [
            'the client certificate or its key cannot be used',
            'tls_cert_file and tls_key_file are files in PEM that belong together; the key has no passphrase',
        ],
        'wrong version number|packet length too long|http request|record layer failure' => [
            'the server does not speak TLS there',
            'Is this the port on which it speaks TLS?',
        ],
        'protocol version|unsupported protocol|no protocols available|no shared cipher|inappropriate fallback' => [
            'the server has no TLS 1.2 or 1.3',
            'Update the server, or allow them there',
        ],
        // A server that closes the connection at once may get ahead of its own alert.
        'unexpected eof|reset by peer|broken pipe|connection lost|went away|read error|error while reading'
            . '|already at the end' => [
                'the server ended the connection',
                'Its log says why. Does it ask for a client certificate (tls_cert_file=)?',
            ],
    ];
    private const LONGEST_NAME = 200;

    private function __construct(public readonly string $what, public readonly string $how) {}

    /**
     * @param list<string> $warnings of PHP, and the client's messages
     * @return self|null null if not TLS has failed
     */
    public static function of(ConnectionSettings $settings, array $warnings): ?self
    {
        $said = implode("\n", $warnings);
        if ($settings->tls === null) {
            return null;
        }
        if (preg_match('~certificate verify failed|did not match expected|peer certificate CN~i', $said) === 1) {
            return self::ofCertificate($settings, $settings->tls);
        }
        foreach (self::KNOWN as $pattern => [$what, $how]) {
            if (preg_match("~$pattern~i", $said, $match) === 1) {
                return new self(\sprintf('%s (%s)', $what, $match[0]), $how);
            }
        }

        return preg_match('~SSL|crypt|certificate~i', $said) === 1
            ? new self(\sprintf('TLS failed (%s)', self::printable($said)), 'The log of the server may say more')
            : null;
    }

    private static function ofCertificate(ConnectionSettings $settings, Tls $tls): self
    {
        $certificate = self::certificate($settings);
        $wanted = $tls->peerName($settings->endpoint);
        $server = 'the certificate of the server';
        if ($certificate === null) {
            $what = "$server is not one of $wanted that can be trusted";

            return new self($what, 'Is tls_ca_file the CA that signed it?');
        }
        $time = static fn(int $unix): string => gmdate('Y-m-d H:i \U\T\C', $unix);
        $clock = 'Is the clock of this machine right?';
        [$from, $until] = [$certificate['validFrom_time_t'], $certificate['validTo_time_t']];
        if ($until <= time()) {
            return new self("$server expired on {$time($until)}", "Renew it on the server. $clock");
        }
        if ($from > time()) {
            return new self("$server is not valid before {$time($from)}", $clock);
        }
        if (self::handshake($settings, ['verify_peer_name' => false]) !== null) {
            $names = $certificate['extensions']['subjectAltName'] ?? self::commonName($certificate['subject']);

            return new self(
                \sprintf('%s is for %s, and not for %s', $server, self::printable($names), $wanted),
                'Connect by a name that it has, or give that as tls_peer_name=',
            );
        }
        $issuer = self::printable(self::commonName($certificate['issuer']));

        return new self("$server is signed by $issuer, which is not trusted here", $tls->caFile === ''
            ? 'The CAs of this system are trusted. To name another: tls_ca_file=/path/of/ca.pem'
            : 'Is tls_ca_file the certificate of that CA?');
    }

    /**
     * Asks the server for its certificate again, without a check, as OpenSSL does not report what was wrong with it.
     * Nothing else is sent.
     *
     * @return Certificate|null null if it is not available any more
     */
    private static function certificate(ConnectionSettings $settings): ?array
    {
        $options = ['verify_peer' => false, 'verify_peer_name' => false, 'capture_peer_cert' => true];

        try {
            $stream = self::handshake($settings, $options);
            $ssl = $stream === null ? [] : stream_context_get_options($stream)['ssl'] ?? [];
            $captured = \is_array($ssl) ? $ssl['peer_certificate'] ?? null : null;
            /** @var Certificate|false $parsed */
            $parsed = $captured instanceof \OpenSSLCertificate ? openssl_x509_parse($captured) : false;
        } catch (\Error) {
            return null; // the host disables a function for this
        }

        return $parsed === false ? null : $parsed;
    }

    /**
     * @param array<string, mixed> $options
     * @return resource|null
     */
    private static function handshake(ConnectionSettings $settings, array $options): mixed
    {
        $tls = $settings->tls?->context($settings->endpoint) ?? [];
        $stream = Warnings::suppress(static fn(): mixed => stream_socket_client(
            $settings->streamAddress(),
            timeout: $settings->connectTimeout,
            context: stream_context_create(['ssl' => [...$tls, ...$options]]),
        ));

        return \is_resource($stream) ? $stream : null;
    }

    /** @param array<string, string|list<string>> $name */
    private static function commonName(array $name): string
    {
        $common = $name['CN'] ?? $name['O'] ?? 'no name';

        return \is_string($common) ? $common : implode(', ', $common);
    }

    /** The server chooses the text of its certificate. */
    private static function printable(string $text): string
    {
        return addcslashes(substr($text, 0, self::LONGEST_NAME), "\0..\37\177..\377");
    }
}
