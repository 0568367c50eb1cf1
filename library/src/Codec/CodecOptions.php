<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** The options of a DSN that say how values become bytes, and the codec that they make. */
final class CodecOptions
{
    private const IN_ENVIRONMENT = 'env:';
    private const IN_FILE = 'file:';

    /**
     * @param Failures $failures in which the codec counts what it cannot read
     * @throws InvalidDsn|StoreUnavailable
     */
    public static function codec(Dsn $dsn, Failures $failures): Codec
    {
        $codec = self::serializing($dsn, $failures);
        $compression = $dsn->choice('compress', ['none', ...array_column(Compression::cases(), 'value')], 'none');
        $from = $dsn->number('compress_from', CompressedCodec::FROM, 0, Compression::MAX_LENGTH);
        if ($compression !== 'none') {
            $codec = new CompressedCodec($codec, Compression::from($compression), (int) $from);
        } elseif (isset($dsn->options['compress_from'])) {
            throw $dsn->invalid('has compress_from, but nothing to compress with: add compress=zlib, zstd or lz4');
        }

        return isset($dsn->options['sign']) ? new SignedCodec($codec, self::keys($dsn), $dsn->namespace()) : $codec;
    }

    private static function serializing(Dsn $dsn, Failures $failures): SerializingCodec
    {
        $serializer = $dsn->choice('serializer', ['php', 'igbinary', 'msgpack', 'json'], 'php');
        $classes = match ($dsn->options['classes'] ?? null) {
            null => null,
            'none' => Classes::none(),
            default => Classes::only(...explode(',', $dsn->options['classes'])),
        };
        if ($serializer === 'igbinary' && $classes !== null) {
            throw $dsn->invalid('has classes and serializer=igbinary, which cannot limit the classes of its objects. Take serializer=php, or sign=');
        }

        return match ($serializer) {
            'php' => new PhpCodec($classes, $failures),
            'igbinary' => new IgbinaryCodec($failures),
            'msgpack' => new MsgpackCodec($classes, $failures),
            'json' => new JsonCodec($classes, $failures),
        };
    }

    /** The option says where the keys are, so that they need not be part of the DSN. */
    private static function keys(Dsn $dsn): SigningKeys
    {
        $source = $dsn->options['sign'];
        if (str_starts_with($source, self::IN_ENVIRONMENT)) {
            $name = substr($source, \strlen(self::IN_ENVIRONMENT));
            $keys = self::variable($dsn, $name);
            $missing = 'names an environment variable by sign=env: that is not set';
        } elseif (str_starts_with($source, self::IN_FILE)) {
            $path = substr($source, \strlen(self::IN_FILE));
            $keys = self::privateFile($dsn, $path);
            $missing = 'names a file by sign=file: that cannot be read';
        } else {
            throw $dsn->invalid('has a sign= that does not say where the signing keys are: sign=env:NAME or sign=file:/path. A key does not belong in a DSN');
        }

        try {
            return SigningKeys::in($keys !== false ? $keys : throw $dsn->invalid($missing));
        } catch (\InvalidArgumentException $error) {
            throw $error instanceof InvalidDsn ? $error : $dsn->invalid('has a sign= that names unfit keys. ' . $error->getMessage());
        }
    }

    /** Tools that read a .env file fill $_ENV and $_SERVER, and some of them leave getenv() as it is. */
    private static function variable(Dsn $dsn, #[\SensitiveParameter] string $name): string|false
    {
        if (stripos($name, 'HTTP_') === 0) {
            throw $dsn->invalid('names an environment variable by sign=env: whose name begins with HTTP_: under a web server those come from the client. Give it another name');
        }
        $value = getenv($name);
        foreach ([$_ENV, $_SERVER] as $variables) {
            $value = \is_string($value) ? $value : $variables[$name] ?? false;
        }

        return \is_string($value) ? $value : false;
    }

    private static function privateFile(Dsn $dsn, string $path): string|false
    {
        clearstatcache(true, $path);
        if (((int) @fileperms($path) & 0o004) !== 0) {
            throw $dsn->invalid(\sprintf('names the file %1$s, which everybody can read. Take that right away: chmod o-r %1$s', $path));
        }

        return @file_get_contents($path);
    }
}
