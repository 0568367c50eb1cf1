<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Cache;
use Larder\Exception\CacheException;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Legacy\Setting;

/**
 * The files, which the library's store `file:` keeps in eaccelerator.cache_dir. Where others could write to that folder, or
 * it cannot be made, nothing is read or written, and each request has one warning of it.
 */
final class Disk
{
    private static self|false|null $instance = null;

    private function __construct(public readonly Cache $files) {}

    /** Null if there is none. */
    public static function open(): ?self
    {
        if (self::$instance === null) {
            try {
                $folder = Setting::text('eaccelerator.cache_dir');
                $folder = $folder === '' ? UserFolder::find('file', sys_get_temp_dir(), 'eaccelerator') : $folder;
                self::$instance = new self(Cache::open('file://' . str_replace('%2F', '/', rawurlencode($folder)) . '?namespace=eaccelerator'));
            } catch (CacheException $error) {
                self::$instance = false;
                trigger_error('eAccelerator: nothing is kept on disk. ' . $error->getMessage(), \E_USER_WARNING);
            }
        }

        return self::$instance === false ? null : self::$instance;
    }
}
