<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Contract\Store;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Connection;
use Larder\Driver\Erases;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Filesystem\FolderTree;
use Larder\Filesystem\UserFolder;

/** file: one file for each value. */
final class FileDriver implements AutoCandidate, Erases
{
    /** What the files that auto: falls back to may take, about: 512 MiB. */
    private const FALLBACK_BYTES = 512 << 20;

    public function scheme(): Scheme
    {
        return new Scheme('file', ['namespace', ...Scheme::CODEC_OPTIONS, 'max_size']);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return new FileStore($dsn->path(), $dsn->namespace(), $opener->codec($dsn), $dsn->maxSize());
    }

    public function openAuto(Dsn $auto, Opener $opener): Store
    {
        return new FileStore(UserFolder::find('file', sys_get_temp_dir(), 'larder'), $auto->namespace(), $opener->codec($auto), self::FALLBACK_BYTES);
    }

    public function isSplit(): bool
    {
        return false;
    }

    public function variants(): array
    {
        return [new Variant('file', FileStore::class, Scope::Machine, connections: [Connection::Tmpfs, Connection::Disk])];
    }

    public function erase(Dsn $dsn): void
    {
        FolderTree::remove($dsn->path() . '/' . $dsn->namespace());
    }
}
