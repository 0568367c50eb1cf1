<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\LeavesResidue;
use Larder\Internal\Filesystem\FolderTree;
use Larder\Internal\Filesystem\UserFolder;

/** file: one file for each value. */
final class FileDriver implements LeavesResidue
{
    /** About 512 MiB, for the files that auto: falls back to. */
    private const FALLBACK_BYTES = 512 << 20;

    public function scheme(): Scheme
    {
        return new Scheme('file', ['namespace', ...Scheme::CODEC_OPTIONS, 'max_size']);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        [$directory, $maxBytes] = $dsn->scheme === 'auto'
            ? [UserFolder::find('file', sys_get_temp_dir(), 'larder'), self::FALLBACK_BYTES]
            : [$dsn->path(), $dsn->maxSize()];

        return new FileStore($directory, $dsn->namespace(), $opener->codec($dsn), $maxBytes);
    }

    public function variants(): array
    {
        $connections = [Connection::Tmpfs, Connection::Disk];

        return [new Variant('file', FileStore::class, Scope::Machine, connections: $connections)];
    }

    public function erase(Dsn $dsn): void
    {
        FolderTree::remove($dsn->path() . '/' . $dsn->namespace());
    }
}
