<?php

declare(strict_types=1);

namespace Larder\Internal\Server;

use Larder\Dsn\Endpoint;

/**
 * Encryption of a connection, with certificates of server and client. The server's certificate and its name are always
 * verified: a self-signed certificate is its own CA.
 */
final class Tls
{
    /**
     * Paths of PEM files.
     *
     * @param string $caFile the CA's certificates; empty for those of the system
     * @param string $certFile the client's certificate, with those between it and the CA; empty for none
     * @param string $keyFile its private key, without a passphrase; empty if it is in $certFile
     * @param string $peerName name in the server's certificate; empty for the host of the endpoint
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

    /** @return array<string, mixed> options of PHP's stream contexts, for "ssl" */
    public function context(Endpoint $endpoint): array
    {
        $peerName = $this->peerName($endpoint);

        return [
            'verify_peer' => true,
            'verify_peer_name' => true,
            'allow_self_signed' => false,
            'peer_name' => $peerName,
            'SNI_enabled' => filter_var($peerName, \FILTER_VALIDATE_IP) === false, // SNI has no IP addresses
            'crypto_method' => \STREAM_CRYPTO_METHOD_TLSv1_2_CLIENT | \STREAM_CRYPTO_METHOD_TLSv1_3_CLIENT,
            ...($this->caFile === '' ? [] : ['cafile' => $this->caFile]),
            // Without a passphrase, OpenSSL would ask the terminal for that of an encrypted key.
            ...($this->certFile === '' ? [] : ['local_cert' => $this->certFile, 'passphrase' => '']),
            ...($this->keyFile === '' ? [] : ['local_pk' => $this->keyFile]),
        ];
    }

    /** The same for interchangeable connections. */
    public function identity(): string
    {
        return serialize([$this->caFile, $this->certFile, $this->keyFile, $this->peerName]);
    }
}
