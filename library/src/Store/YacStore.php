<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreUnavailable;
use Yac;

/**
 * Yac: shared by the workers of one FPM master, without locks, and allowed to lose what it was given.
 *
 * Names in Yac have at most 48 bytes: longer keys are hashed, and the full key stands beside the value, so that another
 * key with the same hash is a miss. Yac checks only a sample of a long value's bytes, so a checksum of all of them stands
 * there too: a value torn by concurrent writers is a miss. A random generation in every name makes clear() one step; when
 * Yac loses the generation, the namespace is empty. losses() counts what Yac threw away.
 */
final class YacStore implements Store
{
    use OneByOne;

    private const GENERATION_BYTES = 9; // 12 characters of base64
    private const DIRECT_LENGTH = 35; // 48 less generation and kind
    private const CHECKSUM_LENGTH = 8;

    private readonly Yac $yac;
    private readonly string $generationName;

    /** @throws StoreUnavailable */
    public function __construct(string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        StoreUnavailable::unlessLoaded('yac', 'yac', 'yac');

        try {
            $this->yac = new Yac();
        } catch (\Throwable $off) {
            throw StoreUnavailable::because('yac', 'Yac is loaded but switched off', \PHP_SAPI === 'cli'
                ? 'On the command line it is on with: php -d yac.enable_cli=1' : 'Set yac.enable=1 in php.ini', $off);
        }
        $this->generationName = 'larder-generation:' . substr(hash('xxh128', $namespace), 0, 24);
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->bytes($key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $default);
    }

    public function has(string $key): bool
    {
        return $this->bytes($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $seconds = Ttl::seconds($ttl);
        $sealed = Envelope::seal($this->codec->encode($value), Ttl::until($ttl), $key);
        // One second more than asked: Yac's clock ticks in whole ones, the envelope knows the exact time.
        $name = $this->name($key);
        $stored = $name !== null && @$this->yac->set($name, hash('xxh3', $sealed, true) . $sealed, $seconds > 0.0 ? (int) ceil($seconds) + 1 : 0) === true;
        if (!$stored) {
            $this->delete($key);
        }

        return $stored;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        $name = $this->name($key);
        if ($name === null) {
            return false;
        }
        $this->yac->delete($name);

        return true;
    }

    public function clear(): bool
    {
        for ($try = 0; $try < 100; ++$try) {
            if ($this->yac->set($this->generationName, self::newGeneration()) === true) {
                return true;
            }
        }

        return false;
    }

    /**
     * What Yac has lost since it started, for all its users: "kicks" are values pushed out by others for lack of a slot,
     * "recycles" are pieces of its memory that were written over from the start, "fails" are stores it refused.
     *
     * @return array{kicks: int, recycles: int, fails: int}
     */
    public function losses(): array
    {
        /** @var array{kicks: int, recycles: int, fails: int} $info */
        $info = $this->yac->info();

        return ['kicks' => $info['kicks'], 'recycles' => $info['recycles'], 'fails' => $info['fails']];
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $name = $this->name($key);
        $stored = $name === null ? false : $this->yac->get($name);
        if (!\is_string($stored) || \strlen($stored) <= self::CHECKSUM_LENGTH) {
            return null;
        }
        $sealed = substr($stored, self::CHECKSUM_LENGTH);

        return strncmp(hash('xxh3', $sealed, true), $stored, self::CHECKSUM_LENGTH) === 0 ? Envelope::open($sealed, $key) : null;
    }

    /** @return string|null null when Yac takes no generation */
    private function name(string $key): ?string
    {
        $generation = $this->generation();
        if ($generation === null) {
            return null;
        }

        return \strlen($key) <= self::DIRECT_LENGTH ? $generation . '=' . $key : $generation . '#' . hash('xxh128', $key);
    }

    private function generation(): ?string
    {
        $generation = $this->yac->get($this->generationName);
        if (!\is_string($generation)) {
            $this->yac->add($this->generationName, self::newGeneration());
            $generation = $this->yac->get($this->generationName);
        }

        return \is_string($generation) ? $generation : null;
    }

    private static function newGeneration(): string
    {
        return base64_encode(random_bytes(self::GENERATION_BYTES));
    }
}
