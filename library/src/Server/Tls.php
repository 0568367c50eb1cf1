<?php

declare(strict_types=1);

namespace Larder\Server;

use Larder\Dsn\Endpoint;

/**
 * How a connection is encrypted, and how the server proves who it is. Its certificate and its name are verified always: a
 * certificate that signs itself is named as its own CA.
 */
final class Tls
{
    /**
     * Paths of PEM files.
     *
     * @param string $caFile the CA's certificates; empty for those of the system
     * @param string $certFile the client's certificate, with those between it and the CA; empty for none
     * @param string $keyFile its private key, without a passphrase; empty when it is in $certFile
     * @param string $peerName that the server's certificate must have; empty for the host of the endpoint
     */
    public function __construct(
        public readonly string $caFile = '',
        public readonly string $certFile = '',
        public readonly string $keyFile = '',
        public readonly string $peerName = '',
    ) {}

    public function peerName(Endpoint $endpoint): string
    {
        return $this->peerName !== '' ? $this->peerName : $endpoint->host;
    }

    /** @return array<string, mixed> PHP's options of "ssl" stream contexts */
    public function context(Endpoint $endpoint): array
    {
        $peerName = $this->peerName($endpoint);

        return [
            'verify_peer' => true,
            'verify_peer_name' => true,
            'allow_self_signed' => false,
            'peer_name' => $peerName,
            'SNI_enabled' => filter_var($peerName, \FILTER_VALIDATE_IP) === false, // which has no place for an IP address
            'crypto_method' => \STREAM_CRYPTO_METHOD_TLSv1_2_CLIENT | \STREAM_CRYPTO_METHOD_TLSv1_3_CLIENT,
            ...($this->caFile === '' ? [] : ['cafile' => $this->caFile]),
            // An empty passphrase, or OpenSSL asks the terminal for that of an encrypted key.
            ...($this->certFile === '' ? [] : ['local_cert' => $this->certFile, 'passphrase' => '']),
            ...($this->keyFile === '' ? [] : ['local_pk' => $this->keyFile]),
        ];
    }

    /** The same for connections that may stand for each other. */
    public function identity(): string
    {
        return serialize([$this->caFile, $this->certFile, $this->keyFile, $this->peerName]);
    }
}
