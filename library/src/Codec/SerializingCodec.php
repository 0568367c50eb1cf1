<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Reads bytes of every known format, chosen by their first byte; each serializer writes one. */
abstract class SerializingCodec implements Codec, ReadsObjects
{
    /** @var array{allowed_classes?: list<string>|false} for unserialize() */
    private readonly array $options;

    /** @param Classes|null $classes whose objects may be stored and made; null for all */
    public function __construct(
        private readonly ?Classes $classes = null,
        private readonly Failures $failures = new Failures(),
    ) {
        $this->options = $classes === null ? [] : ['allowed_classes' => $classes->forUnserialize()];
        MissingClass::watch();
    }

    final public function failures(): Failures
    {
        return $this->failures;
    }

    final public function decode(string $bytes, string $key, mixed $default = null): mixed
    {
        try {
            switch ($bytes[0] ?? '') {
                case 'a':
                    if ($this->classes !== null) {
                        return $this->withObjects($bytes);
                    }
                    // no break: it is read as the others are
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
                case LongString::FORMAT:
                    return LongString::read($bytes);
                case Formats::IGBINARY:
                case 'O':
                    return $this->withObjects($bytes);
                default:
                    $integer = (int) $bytes;

                    return (string) $integer === $bytes ? $integer : $this->read(self::unwrapped($bytes));
            }
        } catch (Unreadable $unreadable) {
            $this->failures->add($unreadable->failure);
        } catch (\Throwable) {
            $this->failures->add(Failure::Refused);
        }

        return $default;
    }

    /** PHP's own format; also of what the others cannot keep as it is. */
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
            throw new \UnexpectedValueException(\sprintf('Objects of %s are not among the classes that are allowed here', $class));
        }

        return $bytes;
    }

    /** Without signature and compression, each of which can be there once. A signature is not checked here. */
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
            'a', 's', 'i', 'd', 'b', 'N', 'O', 'C', 'E', Formats::IGBINARY => $this->withObjects($bytes),
            LongString::FORMAT => LongString::read($bytes),
            Formats::MSGPACK => Formats::msgpack($bytes),
            '{', '[', '"', 'n', 't', 'f', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' => Formats::json($bytes),
            default => throw new Unreadable(Failure::Damaged),
        };
    }

    /**
     * Reads the formats that may hold objects, and makes none of a class that is not allowed, or does not exist (see
     * MissingClass).
     */
    private function withObjects(string $bytes): mixed
    {
        $isPhp = $bytes[0] !== Formats::IGBINARY;
        if ($this->classes !== null && (!$isPhp || $this->classes->notAllowedIn($bytes) !== null)) {
            throw new Unreadable(Failure::ClassNotAllowed);
        }
        $value = $isPhp ? @\unserialize($bytes, $this->options) : Formats::igbinary($bytes);
        if ($value instanceof \__PHP_Incomplete_Class) {
            throw new Unreadable(Failure::ClassMissing); // where somebody has taken the autoloader away
        }

        return !$isPhp || $value !== false || $bytes === 'b:0;' ? $value : throw new Unreadable(Failure::Damaged);
    }
}
