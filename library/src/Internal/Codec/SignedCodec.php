<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Codec;
use Larder\Codec\Failure;
use Larder\Codec\Failures;

/**
 * Signs the bytes of another codec, and reads only signed bytes: for stores that others can write to.
 *
 *     "\x08" | id of the signing key: 4 bytes | HMAC-SHA-256: 32 bytes | bytes of the other codec
 *
 * The signature is checked before anything else is done with the bytes. It also covers the context (a namespace and a
 * database) and the key of the entry, so a signed value is valid under no other, but on another server with the same
 * context. A program that can write to the store can still delete values, change their expiry, and restore an older
 * value of the same key.
 */
final class SignedCodec implements Codec
{
    public const FORMAT = "\x08";
    public const HEAD = 1 + self::SIGNATURE;

    private const SIGNATURE = SigningKeys::ID_LENGTH + 32;

    /** @param string|\Closure(): string $context distinguishes caches that share signing keys */
    public function __construct(
        private readonly Codec $codec,
        private readonly SigningKeys $keys,
        private readonly string|\Closure $context = '',
    ) {}

    public function encode(mixed $value, string $key): string
    {
        $bytes = $this->codec->encode($value, $key);

        return self::FORMAT . $this->keys->sign($this->message($bytes, $key)) . $bytes;
    }

    public function decode(string $bytes, string $key, mixed $default = null): mixed
    {
        if (\strlen($bytes) <= self::HEAD || $bytes[0] !== self::FORMAT) {
            $this->failures()->add(Failure::Unsigned);

            return $default;
        }
        $signed = substr($bytes, self::HEAD);
        if (!$this->keys->verify($this->message($signed, $key), substr($bytes, 1, self::SIGNATURE))) {
            $this->failures()->add(Failure::Forged);

            return $default;
        }

        return $this->codec->decode($signed, $key, $default);
    }

    public function failures(): Failures
    {
        return $this->codec->failures();
    }

    /** The lengths ensure that no two contexts and keys have the same message. */
    private function message(string $bytes, string $key): string
    {
        $context = \is_string($this->context) ? $this->context : ($this->context)();

        return pack('NN', \strlen($context), \strlen($key)) . $context . $key . $bytes;
    }
}
