<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failures;
use Larder\Exception\StoreUnavailable;

/**
 * Writes igbinary's format, which is smaller for arrays with repeated keys, except for integers, long strings and
 * objects that igbinary would damage.
 *
 *     "\3" | a checksum (see Checksum) | igbinary's bytes
 *
 * The checksum is there because igbinary may crash on bytes that were cut off. igbinary cannot limit the classes of its
 * objects, so a codec limited to some classes does not read this format.
 */
final class IgbinaryCodec extends PhpCodec
{
    /** Byte before the name of an object's class, if that has 255 bytes at most. */
    private const OBJECT = "\x17";

    /**
     * @param Failures|(\Closure(): Failures)|null $failures as for PhpCodec
     * @throws StoreUnavailable
     */
    public function __construct(Failures|\Closure|null $failures = null)
    {
        StoreUnavailable::unlessLoaded('serializer=igbinary', 'igbinary', 'igbinary');
        parent::__construct(null, $failures);
    }

    public function encode(mixed $value, string $key): string
    {
        if (\is_string($value) && \strlen($value) >= self::LONG) {
            return self::longString($value);
        }
        if (\is_int($value)) {
            return (string) $value;
        }
        if (!\is_array($value) && Serialized::isResource($value)) {
            throw Serialized::refusedResource();
        }
        $bytes = igbinary_serialize($value);
        if (!\is_string($bytes)) {
            throw new \UnexpectedValueException(\sprintf('igbinary cannot serialize this %s', get_debug_type($value)));
        }

        return self::isDamaged($bytes) ? $this->serialize($value) : Checksum::before($bytes, self::IGBINARY);
    }

    /**
     * True if igbinary may restore a different object: if __sleep() names a missing property, such as a private one of
     * the parent, or __serialize() has no __unserialize(). Looks for names of classes, which follow OBJECT and their
     * length; that byte occurs elsewhere, too.
     */
    private static function isDamaged(string $bytes): bool
    {
        for ($at = strpos($bytes, self::OBJECT); $at !== false; $at = strpos($bytes, self::OBJECT, $at + 1)) {
            $class = substr($bytes, $at + 2, \ord($bytes[$at + 1] ?? ''));
            if (class_exists($class, false) && (method_exists($class, '__serialize')
                ? !method_exists($class, '__unserialize')
                : method_exists($class, '__sleep'))) {
                return true;
            }
        }

        return false;
    }
}
