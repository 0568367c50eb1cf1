<?php

declare(strict_types=1);

namespace Larder\Server;

use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Server\Credentials;
use Larder\Internal\Server\Tls;

/** Address, login, timeouts and encryption of one server. Immutable; it does not connect. */
final class ConnectionSettings
{
    /**
     * @param float $connectTimeout seconds to connect; a TLS handshake may take as long again
     * @param float $readTimeout seconds to wait for a reply
     * @param bool $persistent true if the connection stays open between requests
     * @param Credentials|null $credentials null for no login
     * @param Tls|null $tls null for a connection without TLS
     */
    public function __construct(
        public readonly Endpoint $endpoint,
        public readonly float $connectTimeout = 1.0,
        public readonly float $readTimeout = 1.0,
        public readonly bool $persistent = false,
        private readonly ?Credentials $credentials = null,
        public readonly ?Tls $tls = null,
    ) {}

    /**
     * @param \Closure(Endpoint): (string|array{string, string})|null $credentials see Credentials::askedOf()
     * @throws InvalidDsn
     * @throws StoreUnavailable if a file for TLS cannot be read
     */
    public static function of(Dsn $dsn, Endpoint $endpoint, #[\SensitiveParameter] ?\Closure $credentials = null): self
    {
        if ($dsn->isTls && $endpoint->socket !== null) {
            throw $dsn->invalid('names a Unix socket, over which there is no TLS: its file decides who may connect');
        }

        return new self(
            $endpoint,
            $dsn->connectTimeout(),
            $dsn->readTimeout(),
            $dsn->isPersistent(),
            self::credentials($dsn, $credentials),
            $dsn->isTls ? self::tls($dsn) : null,
        );
    }

    /**
     * @param string $store as for Credentials::current()
     * @return array{string, string} user and password, both empty for no login
     * @throws StoreUnavailable as Credentials::current()
     */
    public function login(string $store): array
    {
        return $this->credentials?->current($store, $this->endpoint) ?? ['', ''];
    }

    /** The same for another server. */
    public function at(Endpoint $endpoint): self
    {
        return new self(
            $endpoint,
            $this->connectTimeout,
            $this->readTimeout,
            $this->persistent,
            $this->credentials,
            $this->tls,
        );
    }

    /** @param string $suffix distinguishes a persistent connection from others to this server; else PHP ignores it */
    public function streamAddress(string $suffix = ''): string
    {
        return \sprintf('%s://%s%s', $this->tls === null ? 'tcp' : 'tls', $this->endpoint, $suffix);
    }

    /** @return array<string, array<string, mixed>> for stream_context_create() */
    public function streamContext(): array
    {
        $tls = $this->tls === null ? [] : ['ssl' => $this->tls->context($this->endpoint)];

        return ['socket' => ['tcp_nodelay' => true], ...$tls];
    }

    /** @param \Closure(Endpoint): (string|array{string, string})|null $ask */
    private static function credentials(Dsn $dsn, #[\SensitiveParameter] ?\Closure $ask): ?Credentials
    {
        $userFile = $dsn->options['user_file'] ?? '';
        $passwordFile = $dsn->options['password_file'] ?? '';
        $hasPassword = $dsn->password() !== '';
        $hasFile = $userFile . $passwordFile !== '';
        $conflict = match (true) {
            $ask !== null && ($hasPassword || $hasFile) => 'has a login, and a callable was given for it too',
            $hasPassword && $passwordFile !== '' => 'has a password and password_file',
            $dsn->user !== '' && $userFile !== '' => 'has a user and user_file',
            default => '',
        };
        if ($conflict !== '') {
            throw $dsn->invalid($conflict . ': give one of them');
        }

        return match (true) {
            $ask !== null => Credentials::askedOf($ask, $dsn->user),
            $hasFile => Credentials::inFiles($userFile, $passwordFile, $dsn->user, $dsn->password()),
            default => $dsn->user === '' && !$hasPassword ? null : new Credentials($dsn->user, $dsn->password()),
        };
    }

    private static function tls(Dsn $dsn): Tls
    {
        StoreUnavailable::unlessLoaded($dsn->scheme, 'openssl', 'common');
        foreach (['tls_ca_file', 'tls_cert_file', 'tls_key_file'] as $option) {
            $file = $dsn->options[$option] ?? null;
            if ($file !== null && !(is_file($file) && is_readable($file))) {
                throw StoreUnavailable::because(
                    $dsn->scheme,
                    "the option $option names no file that this user can read",
                    'Does it exist? ls -l shows who may read it',
                );
            }
        }
        $option = static fn(string $name): string => $dsn->options[$name] ?? '';
        [$ca, $cert, $key, $peerName] = array_map($option, Scheme::TLS_OPTIONS);
        if ($key !== '' && $cert === '') {
            throw $dsn->invalid('has tls_key_file without tls_cert_file, the certificate to which the key belongs');
        }

        return new Tls($ca, $cert, $key, $peerName);
    }
}
