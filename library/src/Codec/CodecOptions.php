<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Driver\Scheme;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** The options of an address that say how values become bytes, and the codec that they make. */
final class CodecOptions
{
    /** Of stores that keep all values as bytes, where others may write. */
    public const ALL = ['serializer', 'compress', 'compress_from', 'classes', 'sign'];
    /** Of stores that keep some values as bytes, where only the own code writes. */
    public const SERIALIZER = ['serializer'];

    private const IN_ENVIRONMENT = 'env:';
    private const IN_FILE = 'file:';

    /**
     * @throws InvalidDsn
     * @throws StoreUnavailable
     */
    public static function codec(Dsn $address): Codec
    {
        $codec = self::serializing($address);
        $compression = $address->choice('compress', ['none', ...array_column(Compression::cases(), 'value')], 'none');
        $from = $address->number('compress_from', CompressedCodec::FROM, 0, Compression::MAX_LENGTH);
        if ($compression !== 'none') {
            $codec = new CompressedCodec($codec, Compression::from($compression), (int) $from);
        } elseif (isset($address->options['compress_from'])) {
            throw $address->invalid('has compress_from, but nothing to compress with: add compress=zlib, zstd or lz4');
        }

        return isset($address->options['sign']) ? new SignedCodec($codec, self::keys($address), $address->namespace()) : $codec;
    }

    /** @return string a sentence that says why a kind of store does not take an option of codecs; empty for other options */
    public static function whyNot(string $option, Scheme $scheme): string
    {
        return !\in_array($option, self::ALL, true) ? '' : match ($scheme) {
            Scheme::Larder, Scheme::Apcu => '. It keeps PHP\'s own values and makes no bytes of them',
            Scheme::PhpFile => '. Its files are code that PHP runs: whoever can write them needs no forged value',
            Scheme::Auto => '. It may find a store that makes no bytes of values: name the store',
            default => '',
        };
    }

    private static function serializing(Dsn $address): SerializingCodec
    {
        $serializer = $address->choice('serializer', ['php', 'igbinary', 'msgpack', 'json'], 'php');
        $classes = match ($address->options['classes'] ?? null) {
            null => null,
            'none' => Classes::none(),
            default => Classes::only(...explode(',', $address->options['classes'])),
        };
        if ($serializer === 'igbinary' && $classes !== null) {
            throw $address->invalid('has classes and serializer=igbinary, which cannot limit the classes of its objects. Take serializer=php, or sign=');
        }

        return match ($serializer) {
            'php' => new PhpCodec($classes, $address->failures),
            'igbinary' => new IgbinaryCodec($address->failures),
            'msgpack' => new MsgpackCodec($classes, $address->failures),
            'json' => new JsonCodec($classes, $address->failures),
        };
    }

    /** The option names the place of the keys, so that they do not stand where addresses do. */
    private static function keys(Dsn $address): SigningKeys
    {
        $place = $address->options['sign'];
        if (str_starts_with($place, self::IN_ENVIRONMENT)) {
            $name = substr($place, \strlen(self::IN_ENVIRONMENT));
            $keys = self::variable($address, $name);
            $missing = 'names an environment variable by sign=env: that is not set';
        } elseif (str_starts_with($place, self::IN_FILE)) {
            $path = substr($place, \strlen(self::IN_FILE));
            $keys = self::privateFile($address, $path);
            $missing = 'names a file by sign=file: that cannot be read';
        } else {
            throw $address->invalid('has a sign= that names no place where the signing keys are: sign=env:NAME or sign=file:/path. A key itself does not belong into an address');
        }

        try {
            return SigningKeys::in($keys !== false ? $keys : throw $address->invalid($missing));
        } catch (\InvalidArgumentException $error) {
            throw $error instanceof InvalidDsn ? $error : $address->invalid('has a sign= that names unfit keys. ' . $error->getMessage());
        }
    }

    /** Tools that read a .env file fill $_ENV and $_SERVER, and some of them leave getenv() as it is. */
    private static function variable(Dsn $address, #[\SensitiveParameter] string $name): string|false
    {
        if (stripos($name, 'HTTP_') === 0) {
            throw $address->invalid('names an environment variable by sign=env: whose name begins with HTTP_: under a web server those come from the client. Give it another name');
        }
        $value = getenv($name);
        foreach ([$_ENV, $_SERVER] as $variables) {
            $value = \is_string($value) ? $value : $variables[$name] ?? false;
        }

        return \is_string($value) ? $value : false;
    }

    private static function privateFile(Dsn $address, string $path): string|false
    {
        clearstatcache(true, $path);
        if (((int) @fileperms($path) & 0o004) !== 0) {
            throw $address->invalid(\sprintf('names the file %1$s, which everybody can read. Take that right away: chmod o-r %1$s', $path));
        }

        return @file_get_contents($path);
    }
}
