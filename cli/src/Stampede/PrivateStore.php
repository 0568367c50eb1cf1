<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

use Larder\Cache;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Driver\LeavesResidue;

/**
 * A namespace of its own in the cache of a DSN, so that existing values stay untouched. remove() removes everything in
 * it.
 */
final class PrivateStore
{
    /** The DSN with this namespace; in a tier, both stores have it. A store that shares nothing keeps its DSN. */
    public readonly string $dsn;
    private readonly string $namespace;

    /** @var list<string> directories that remove() removes if no one else has put anything there */
    private array $made = [];

    /** @throws InvalidDsn */
    public function __construct(#[\SensitiveParameter] string $dsn)
    {
        $this->namespace = 'stampede-' . bin2hex(random_bytes(6));
        $this->dsn = $this->within($dsn);
        $this->noteMissingFolders(Drivers::parse($this->dsn));
    }

    public function remove(): void
    {
        Cache::open($this->dsn)->clear();
        self::erase(Drivers::parse($this->dsn));
        foreach ($this->made as $directory) {
            @rmdir($directory);
        }
    }

    private function within(#[\SensitiveParameter] string $dsn): string
    {
        $parsed = Drivers::parse($dsn);
        if ($parsed->tiers !== []) {
            // This DSN has been parsed, so it contains two DSNs in parentheses.
            preg_match('~^([^(]+)(\((?:[^()]++|(?2))*+\))(\((?:[^()]++|(?3))*+\))(.*)$~Ds', $dsn, $parts);
            [, $scheme, $local, $shared, $options] = [...$parts, '', '', '', '', ''];

            return \sprintf(
                '%s(%s)(%s)%s',
                $scheme,
                $this->within(substr($local, 1, -1)),
                $this->within(substr($shared, 1, -1)),
                $options,
            );
        }
        if (!\in_array('namespace', Drivers::get($parsed->scheme)->scheme()->options, true)) {
            return $dsn;
        }
        [$store, $query] = [...explode('?', $dsn, 2), ''];
        $options = array_filter(
            explode('&', $query),
            static fn(string $option): bool => $option !== '' && !str_starts_with($option, 'namespace='),
        );

        return $store . '?' . implode('&', [...$options, 'namespace=' . $this->namespace]);
    }

    private function noteMissingFolders(Dsn $dsn): void
    {
        array_map($this->noteMissingFolders(...), $dsn->tiers);
        $driver = Drivers::get($dsn->scheme);
        if ($driver instanceof LeavesResidue && !$driver->scheme()->isRemote) {
            for ($path = $dsn->path(); \strlen($path) > 1 && !file_exists($path); $path = \dirname($path)) {
                $this->made[] = $path;
            }
        }
    }

    /** Removes what a driver leaves behind when a namespace is empty. */
    private static function erase(Dsn $dsn): void
    {
        array_map(self::erase(...), $dsn->tiers);
        $driver = Drivers::get($dsn->scheme);
        if ($driver instanceof LeavesResidue) {
            $driver->erase($dsn);
        }
    }
}
