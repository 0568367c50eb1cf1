<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * The secrets of a SignedCodec: the first one signs, all of them are recognized. A new one goes in front; the old one goes
 * when nothing signed with it matters any more. They are not shown by var_dump(), print_r() and the like, nor in traces.
 */
final class SigningKeys
{
    public const ID_LENGTH = 4;
    private const LEAST_LENGTH = 32;
    private const PURPOSE = 'larder signing key';

    /** @param non-empty-array<array-key, \SensitiveParameterValue> $keys by their id, the one that signs first */
    private function __construct(private readonly array $keys) {}

    /**
     * @param string ...$keys of 32 bytes at least, such as "openssl rand -hex 32" prints
     * @throws \InvalidArgumentException
     */
    public static function of(#[\SensitiveParameter] string ...$keys): self
    {
        $byId = [];
        foreach ($keys as $key) {
            if (\strlen($key) < self::LEAST_LENGTH) {
                throw new \InvalidArgumentException(\sprintf('A signing key has %d bytes at least, this one has %d. To make one: openssl rand -hex 32', self::LEAST_LENGTH, \strlen($key)));
            }
            $byId[substr(hash_hmac('sha256', self::PURPOSE, $key, true), 0, self::ID_LENGTH)] = new \SensitiveParameterValue($key);
        }
        if ($byId === []) {
            throw new \InvalidArgumentException('There is no signing key. To make one: openssl rand -hex 32');
        }

        return new self($byId);
    }

    /**
     * @param string $keys separated by white space; the first one signs
     * @throws \InvalidArgumentException
     */
    public static function in(#[\SensitiveParameter] string $keys): self
    {
        preg_match_all('/\S+/', $keys, $found);

        return self::of(...$found[0]);
    }

    /** @return string the id of the key, and the signature */
    public function sign(string $message): string
    {
        $id = (string) array_key_first($this->keys);

        return $id . $this->signature($id, $message);
    }

    /** @param string $signature as sign() gives it */
    public function verify(string $message, string $signature): bool
    {
        $id = substr($signature, 0, self::ID_LENGTH);

        return isset($this->keys[$id]) && hash_equals($this->signature($id, $message), substr($signature, self::ID_LENGTH));
    }

    private function signature(string $id, string $message): string
    {
        $key = $this->keys[$id]->getValue();

        return hash_hmac('sha256', $message, \is_string($key) ? $key : '', true);
    }
}
