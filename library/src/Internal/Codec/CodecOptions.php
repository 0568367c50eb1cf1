<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Codec;
use Larder\Codec\Failures;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** The options of a DSN on how values become bytes, and the codec that they select. */
final class CodecOptions
{
    private const IN_ENVIRONMENT = 'env:';
    private const IN_FILE = 'file:';

    /**
     * @param \Closure(): Failures $failures counts unreadable values
     * @param string|\Closure(): string $database of the server, which signatures cover; empty for the first or only one
     * @throws InvalidDsn|StoreUnavailable
     */
    public static function codec(Dsn $dsn, \Closure $failures, string|\Closure $database = ''): Codec
    {
        $codec = self::serializing($dsn, $failures);
        if (!isset($dsn->options['compress']) && !isset($dsn->options['compress_from'])) {
            return self::signed($dsn, $codec, $database);
        }
        $compression = $dsn->choice('compress', ['none', ...array_column(Compression::cases(), 'value')], 'none');
        $from = $dsn->number('compress_from', CompressedCodec::FROM, 0, Compression::MAX_LENGTH);
        if ($compression !== 'none') {
            $codec = new CompressedCodec($codec, Compression::from($compression), (int) $from);
        } elseif (isset($dsn->options['compress_from'])) {
            throw $dsn->invalid('has compress_from, but nothing to compress with: add compress=zlib, zstd or lz4');
        }

        return self::signed($dsn, $codec, $database);
    }

    /** @param string|\Closure(): string $database */
    private static function signed(Dsn $dsn, Codec $codec, string|\Closure $database): Codec
    {
        if (!isset($dsn->options['sign'])) {
            return $codec;
        }
        $namespace = $dsn->namespace();
        $context = static function () use ($namespace, $database): string {
            $name = \is_string($database) ? $database : $database();

            return $name === '' ? $namespace : "$namespace:$name";
        };

        return new SignedCodec($codec, self::keys($dsn), \is_string($database) ? $context() : $context);
    }

    /**
     * @return string identity of the signing keys of a DSN, and of those inside of it; it does not reveal them
     * @throws InvalidDsn
     */
    public static function signingKeys(Dsn $dsn): string
    {
        $own = isset($dsn->options['sign']) ? self::keys($dsn)->identity() : '';

        return $dsn->tiers === [] ? $own : serialize(array_map(self::signingKeys(...), $dsn->tiers));
    }

    /** @param \Closure(): Failures $failures */
    private static function serializing(Dsn $dsn, \Closure $failures): PhpCodec
    {
        $serializer = $dsn->choice('serializer', ['php', 'igbinary', 'msgpack', 'json'], 'php');
        $classes = match ($dsn->options['classes'] ?? null) {
            null => null,
            'nothing', 'none' => Classes::none(),
            default => Classes::only(...explode(',', $dsn->options['classes'])),
        };
        if ($serializer === 'igbinary' && $classes !== null) {
            throw $dsn->invalid('has classes and serializer=igbinary, which cannot limit the classes of its objects.'
                . ' Take serializer=php, or sign=');
        }

        return match ($serializer) {
            'php' => new PhpCodec($classes, $failures),
            'igbinary' => new IgbinaryCodec($failures),
            'msgpack' => new MsgpackCodec($classes, $failures),
            'json' => new JsonCodec($classes, $failures),
        };
    }

    /** The option names the place of the keys, so that they need not be part of the DSN. */
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
            throw $dsn->invalid('has a sign= that does not say where the signing keys are: sign=env:NAME or'
                . ' sign=file:/path. A key does not belong in a DSN');
        }

        try {
            return SigningKeys::in($keys !== false ? $keys : throw $dsn->invalid($missing));
        } catch (\InvalidArgumentException $error) {
            $what = 'has a sign= that names unfit keys. ' . $error->getMessage();

            throw $error instanceof InvalidDsn ? $error : $dsn->invalid($what);
        }
    }

    /** Some tools that read a .env file fill $_ENV and $_SERVER, but not getenv(). */
    private static function variable(Dsn $dsn, #[\SensitiveParameter] string $name): string|false
    {
        if (stripos($name, 'HTTP_') === 0) {
            throw $dsn->invalid('names an environment variable by sign=env: whose name begins with HTTP_: under a web'
                . ' server those come from the client. Give it another name');
        }
        try {
            $value = getenv($name);
        } catch (\Error) {
            $value = false; // the host disables getenv()
        }
        foreach ([$_ENV, $_SERVER] as $variables) {
            $value = \is_string($value) ? $value : $variables[$name] ?? false;
        }

        return \is_string($value) ? $value : false;
    }

    private static function privateFile(Dsn $dsn, string $path): string|false
    {
        clearstatcache(true, $path);
        if (((int) @fileperms($path) & 0o004) !== 0) {
            throw $dsn->invalid("names the file $path, which everybody can read."
                . " Take that right away: chmod o-r $path");
        }

        return @file_get_contents($path);
    }
}
