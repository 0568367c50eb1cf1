<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

/** A private CA, and the certificates that it signs. All files are in PEM. */
final class Certificates
{
    public readonly string $ca;
    private readonly \OpenSSLCertificate $authority;
    private readonly \OpenSSLAsymmetricKey $key;

    /** @param string $name of the CA */
    public function __construct(private readonly string $directory, string $name = 'Private CA')
    {
        $this->key = self::newKey();
        $this->ca = $this->path('ca-' . bin2hex(random_bytes(4)) . '.pem');
        $this->authority = $this->signed($name, null, $this->key, 'basicConstraints=critical,CA:TRUE', 30);
        file_put_contents($this->ca, $this->text($this->authority));
    }

    /**
     * @param string $names as in subjectAltName
     * @param int $days validity; 0 for an expired certificate
     * @return array{string, string} files of the certificate and of its key
     */
    public function issue(string $names = 'DNS:localhost,IP:127.0.0.1,IP:::1', int $days = 30): array
    {
        $key = self::newKey();

        return $this->written(
            $this->signed('A server', $this->authority, $key, 'subjectAltName=' . $names, $days),
            $key,
        );
    }

    /** @return array{string, string} files of a self-signed certificate, and of its key */
    public function issueToItself(): array
    {
        $key = self::newKey();

        return $this->written(
            $this->signed('A server', null, $key, 'subjectAltName=DNS:localhost,IP:127.0.0.1', 30),
            $key,
        );
    }

    /** @return array{string, string} */
    private function written(\OpenSSLCertificate $certificate, \OpenSSLAsymmetricKey $key): array
    {
        $file = $this->path(bin2hex(random_bytes(6)));
        openssl_pkey_export_to_file($key, "$file.key");
        chmod("$file.key", 0o600);
        file_put_contents("$file.pem", $this->text($certificate));

        return ["$file.pem", "$file.key"];
    }

    /** @param \OpenSSLCertificate|null $by null for a self-signed one */
    private function signed(
        string $name,
        ?\OpenSSLCertificate $by,
        \OpenSSLAsymmetricKey $key,
        string $extension,
        int $days,
    ): \OpenSSLCertificate {
        $config = $this->path('openssl.cnf');
        file_put_contents($config, "[req]\ndistinguished_name=name\n[name]\n[extensions]\n$extension\n");
        $options = ['config' => $config, 'x509_extensions' => 'extensions', 'digest_alg' => 'sha256'];
        $signer = $by === null ? $key : $this->key;
        $request = openssl_csr_new(['commonName' => $name], $key, $options);
        \assert($request instanceof \OpenSSLCertificateSigningRequest);
        $certificate = openssl_csr_sign($request, $by, $signer, $days, $options, random_int(1, \PHP_INT_MAX));
        \assert($certificate !== false);

        return $certificate;
    }

    private static function newKey(): \OpenSSLAsymmetricKey
    {
        $key = openssl_pkey_new(['private_key_type' => \OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        \assert($key !== false);

        return $key;
    }

    private function text(\OpenSSLCertificate $certificate): string
    {
        openssl_x509_export($certificate, $text);
        \assert(\is_string($text));

        return $text;
    }

    private function path(string $file): string
    {
        return $this->directory . '/' . $file;
    }
}
