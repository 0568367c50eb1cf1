<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Codec;
use Larder\Codec\Failure;
use Larder\Codec\Failures;
use MessagePack;

/**
 * Reads bytes of every known format, chosen by their first byte. Writes the format of serialize(), except for integers
 * and long strings; the codecs of other serializers extend it.
 *
 * A long string is written as it is, because serialize() would copy it by an odd offset (see Checksum):
 *
 *     "\x09" | 7 bytes of 0 | length: uint64 little-endian | the string
 */
class PhpCodec implements Codec
{
    /** Least bytes of a long string. serialize() is as fast for shorter ones. */
    public const LONG = 2048;

    protected const IGBINARY = "\3";
    protected const MSGPACK = "\4";
    /** The extension's own support for objects is off. */
    protected const MSGPACK_OBJECTS = false;
    protected const JSON_DEPTH = 512;

    private const LONG_STRING = "\x09";
    private const LONG_STRING_HEAD = 16;

    /** @var array{allowed_classes?: list<string>|false} for unserialize() */
    private readonly array $options;

    private bool $isWatched = false;

    /**
     * @param Classes|null $classes whose objects may be stored and unserialized; null for all
     * @param Failures|(\Closure(): Failures)|null $failures the closure is called at the first failure or failures()
     */
    public function __construct(
        private readonly ?Classes $classes = null,
        private Failures|\Closure|null $failures = null,
    ) {
        $this->options = $classes === null ? [] : ['allowed_classes' => $classes->forUnserialize()];
    }

    final public function failures(): Failures
    {
        $failures = $this->failures instanceof \Closure ? ($this->failures)() : $this->failures;

        return $this->failures = $failures ?? new Failures();
    }

    final public function decode(string $bytes, string $key, mixed $default = null): mixed
    {
        try {
            switch ($bytes[0] ?? '') {
                case 'a':
                    if ($this->classes !== null) {
                        return $this->withObjects($bytes);
                    }
                    // Without one of these it has no objects. An E alone is often that of a small float.
                    if (isset($bytes[self::LONG]) || str_contains($bytes, 'O:') || str_contains($bytes, 'C:')
                        || str_contains($bytes, 'E:')) {
                        $this->isWatched || $this->watch();
                    }
                    // no break
                case 's':
                case 'i':
                case 'd':
                case 'b':
                case 'N':
                    $value = @\unserialize($bytes);
                    if ($value !== false || $bytes === 'b:0;') {
                        return $value;
                    }

                    throw new Unreadable(Failure::Damaged);
                case self::LONG_STRING:
                    return self::readLongString($bytes);
                case self::IGBINARY:
                case 'O':
                    return $this->withObjects($bytes);
                default:
                    $integer = (int) $bytes;

                    return (string) $integer === $bytes ? $integer : $this->read(self::unwrapped($bytes));
            }
        } catch (Unreadable $unreadable) {
            $this->failures()->add($unreadable->failure);
        } catch (\Throwable) {
            $this->failures()->add(Failure::Refused);
        }

        return $default;
    }

    public function encode(mixed $value, string $key): string
    {
        if (\is_string($value) && \strlen($value) >= self::LONG) {
            return self::longString($value);
        }

        return \is_int($value) ? (string) $value : $this->serialize($value);
    }

    final protected static function longString(string $value): string
    {
        return self::headOfLongString(\strlen($value)) . $value;
    }

    private static function headOfLongString(int $length): string
    {
        return self::LONG_STRING . "\0\0\0\0\0\0\0" . pack('P', $length);
    }

    final protected function serialize(mixed $value): string
    {
        $bytes = \serialize($value);
        if ($bytes === 'i:0;' && $value !== 0) {
            throw Serialized::refusedResource();
        }

        return $this->classes === null ? $bytes : $this->allowed($bytes);
    }

    /**
     * @param string $bytes of serialize()
     * @throws \UnexpectedValueException
     */
    final protected function allowed(string $bytes): string
    {
        $class = $this->classes?->notAllowedIn($bytes);
        if ($class !== null) {
            throw new \UnexpectedValueException("Objects of $class are not among the classes that are allowed here");
        }

        return $bytes;
    }

    /** @phpstan-impure */
    private function watch(): bool
    {
        MissingClass::watch();

        return $this->isWatched = true;
    }

    /** Removes one signature, unchecked, and one compression. */
    private static function unwrapped(string $bytes): string
    {
        if (($bytes[0] ?? '') === SignedCodec::FORMAT) {
            $bytes = substr($bytes, SignedCodec::HEAD);
        }
        $compression = Compression::ofFormat($bytes[0] ?? '');

        return $compression === null ? $bytes : $compression->open($bytes);
    }

    private function read(string $bytes): mixed
    {
        return match ($bytes[0] ?? '') {
            'a', 's', 'i', 'd', 'b', 'N', 'O', 'C', 'E', self::IGBINARY => $this->withObjects($bytes),
            self::LONG_STRING => self::readLongString($bytes),
            self::MSGPACK => self::readMsgpack($bytes),
            default => strpbrk($bytes[0] ?? '', '{["ntf-0123456789') !== false
                ? self::readJson($bytes)
                : throw new Unreadable(Failure::Damaged),
        };
    }

    /**
     * Reads the formats that may hold objects, but none of a class that is not allowed, or does not exist (see
     * MissingClass).
     */
    private function withObjects(string $bytes): mixed
    {
        $isPhp = $bytes[0] !== self::IGBINARY;
        if ($this->classes !== null && (!$isPhp || $this->classes->notAllowedIn($bytes) !== null)) {
            throw new Unreadable(Failure::ClassNotAllowed);
        }
        $this->isWatched || $this->watch();
        $value = $isPhp ? @\unserialize($bytes, $this->options) : self::readIgbinary($bytes);
        if ($value instanceof \__PHP_Incomplete_Class) {
            throw new Unreadable(Failure::ClassMissing); // if the autoloader was removed
        }

        return !$isPhp || $value !== false || $bytes === 'b:0;' ? $value : throw new Unreadable(Failure::Damaged);
    }

    private static function readLongString(string $bytes): string
    {
        return str_starts_with($bytes, self::headOfLongString(\strlen($bytes) - self::LONG_STRING_HEAD))
            ? substr($bytes, self::LONG_STRING_HEAD)
            : throw new Unreadable(Failure::Damaged);
    }

    /** @param string $byIgbinary never passed: see Larder\Process\Pid */
    private static function readIgbinary(string $bytes, string $byIgbinary = 'igbinary_unserialize'): mixed
    {
        if (!\function_exists($byIgbinary)) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $data = Checksum::checked($bytes);
        $value = @igbinary_unserialize($data);
        if (($value === false || $value === null) && $data !== igbinary_serialize($value)) {
            throw new Unreadable(Failure::Damaged);
        }

        return $value;
    }

    private static function readMsgpack(string $bytes): mixed
    {
        if (!class_exists(MessagePack::class, false)) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $data = Checksum::checked($bytes);

        /** @var callable(string): mixed $unpack has a second argument in the extension's reflection */
        $unpack = [new MessagePack(self::MSGPACK_OBJECTS), 'unpack'];

        return @$unpack($data);
    }

    private static function readJson(string $bytes): mixed
    {
        $value = json_decode($bytes, true, self::JSON_DEPTH + 1);

        return $value !== null || $bytes === 'null' ? $value : throw new Unreadable(Failure::Damaged);
    }
}
