<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

/**
 * The secrets of a SignedCodec: the first one signs, all are recognized. A new one goes in front; an old one goes when
 * no value signed with it matters any more. Dumps and traces do not show them.
 */
final class SigningKeys
{
    public const ID_LENGTH = 4;
    private const LEAST_LENGTH = 32;
    private const PURPOSE = 'larder signing key';

    /** @param non-empty-array<array-key, \SensitiveParameterValue> $keys by id, the one that signs first */
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
                throw new \InvalidArgumentException(\sprintf(
                    'A signing key has %d bytes at least, this one has %d. To make one: openssl rand -hex 32',
                    self::LEAST_LENGTH,
                    \strlen($key),
                ));
            }
            $id = substr(hash_hmac('sha256', self::PURPOSE, $key, true), 0, self::ID_LENGTH);
            $byId[$id] = new \SensitiveParameterValue($key);
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

    /** @return string the same for the same keys in any order; it does not reveal them */
    public function identity(): string
    {
        $signatures = [];
        foreach (array_keys($this->keys) as $id) {
            $signatures[] = $this->signature((string) $id, self::PURPOSE);
        }
        sort($signatures);

        return hash('sha256', implode('', $signatures));
    }

    public function sign(string $message): string
    {
        $id = (string) array_key_first($this->keys);

        return $id . $this->signature($id, $message);
    }

    /** @param string $signature as sign() returns it */
    public function verify(string $message, string $signature): bool
    {
        $id = substr($signature, 0, self::ID_LENGTH);

        return isset($this->keys[$id]) && hash_equals($id . $this->signature($id, $message), $signature);
    }

    private function signature(string $id, string $message): string
    {
        $key = $this->keys[$id]->getValue();

        return hash_hmac('sha256', $message, \is_string($key) ? $key : '', true);
    }
}
