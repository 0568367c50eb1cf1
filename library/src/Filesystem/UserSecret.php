<?php

declare(strict_types=1);

namespace Larder\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;

/** Random bytes that all processes of one user share, and nobody else knows. */
final class UserSecret
{
    private const LENGTH = 32;

    /**
     * @param string $store the scheme that asks, for its errors
     * @param string $directory that only this user can read and write
     * @return string the same from then on, until the file is removed
     * @throws StoreUnavailable when it cannot be written
     */
    public static function in(string $store, string $directory): string
    {
        $file = $directory . '/secret';
        $secret = Quietly::run(static fn(): ?string => self::read($file) ?? self::make($file) ?? self::read($file));

        return $secret ?? throw StoreUnavailable::because($store, \sprintf('%s cannot be read or written', $file), \sprintf('Remove it, and free space in %s', $directory));
    }

    private static function read(string $file): ?string
    {
        $secret = file_get_contents($file);

        return $secret !== false && \strlen($secret) === self::LENGTH ? $secret : null;
    }

    /** Whole, under another name, then under its own, unless another process was first. */
    private static function make(string $file): ?string
    {
        $secret = random_bytes(self::LENGTH);
        $new = \sprintf('%s.%s', $file, bin2hex(random_bytes(8)));
        $handle = fopen($new, 'x');
        if ($handle === false) {
            return null;
        }
        chmod($new, 0o600);
        $isMade = fwrite($handle, $secret) === self::LENGTH && fclose($handle) && link($new, $file);
        unlink($new);

        return $isMade ? $secret : null;
    }
}
