<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PhpFile;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Driver\LeavesResidue;
use Larder\Internal\Filesystem\FolderTree;

/** php-file: one file of PHP code for each value, which opcache keeps in memory. */
final class PhpFileDriver implements Diagnoses, LeavesResidue
{
    public function scheme(): Scheme
    {
        $why = 'Its files are code that PHP runs: whoever can write them needs no forged value';

        return new Scheme('php-file', ['namespace', 'serializer', 'max_size'], whyNoCodec: $why);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return new PhpFileStore($dsn->path(), $dsn->namespace(), $opener->codec($dsn), $dsn->maxSize());
    }

    public function variants(): array
    {
        return [
            new Variant(
                'php-file',
                PhpFileStore::class,
                Scope::Machine,
                connections: [Connection::Tmpfs, Connection::Disk],
                otherIni: ['no opcache' => ['opcache.enable_cli' => '0']],
            ),
        ];
    }

    public function problem(): string
    {
        return '';
    }

    public function advice(): string
    {
        return match (true) {
            !\extension_loaded('Zend OPcache') => 'It is slow without opcache. ' . StoreUnavailable::install('opcache'),
            (bool) ini_get('opcache.file_cache_only') => 'It is slow while opcache keeps nothing in memory.'
                . ' Set opcache.file_cache_only=0 in php.ini',
            OpcacheMemory::here() === null => \PHP_SAPI === 'cli'
                ? 'It is slow without opcache. On the command line it is on with: php -d opcache.enable_cli=1'
                : 'It is slow without opcache. Set opcache.enable=1 in php.ini',
            default => '',
        };
    }

    public function erase(Dsn $dsn): void
    {
        FolderTree::remove($dsn->path() . '/' . $dsn->namespace());
    }
}
