<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

use Larder\Cache;
use Larder\Driver\Scheme;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;

/** A namespace of its own in the cache of an address, so that nothing is touched that is there. remove() leaves nothing of it. */
final class PrivateStore
{
    /** The address with the namespace in the place of its own; of a tier, of both. Where nothing is shared, the same address. */
    public readonly string $address;
    private readonly string $namespace;

    /** @var list<string> directories that remove() removes, if nobody else has put anything there meanwhile */
    private array $made = [];

    /** @throws InvalidDsn */
    public function __construct(#[\SensitiveParameter] string $address)
    {
        $this->namespace = 'stampede-' . bin2hex(random_bytes(6));
        $this->address = $this->within($address);
        $this->notePlaces(Dsn::parse($this->address));
    }

    public function remove(): void
    {
        Cache::open($this->address)->clear();
        $this->removePlaces(Dsn::parse($this->address));
        foreach ($this->made as $directory) {
            @rmdir($directory);
        }
    }

    private function within(#[\SensitiveParameter] string $address): string
    {
        $scheme = Dsn::parse($address)->scheme;
        if ($scheme === Scheme::Tier) {
            // It has just been parsed, so there are two addresses in parentheses.
            preg_match('~^tier:(\((?:[^()]++|(?1))*+\))(\((?:[^()]++|(?2))*+\))(.*)$~Dis', $address, $parts);
            [, $local, $shared, $options] = [...$parts, '', '', '', ''];

            return \sprintf('tier:(%s)(%s)%s', $this->within(substr($local, 1, -1)), $this->within(substr($shared, 1, -1)), $options);
        }
        if (!\in_array('namespace', $scheme->options(), true)) {
            return $address;
        }
        [$place, $query] = [...explode('?', $address, 2), ''];
        $options = array_filter(explode('&', $query), static fn(string $option): bool => $option !== '' && !str_starts_with($option, 'namespace='));

        return $place . '?' . implode('&', [...$options, 'namespace=' . $this->namespace]);
    }

    private function notePlaces(Dsn $address): void
    {
        array_map($this->notePlaces(...), $address->tiers);
        if ($address->scheme === Scheme::File || $address->scheme === Scheme::PhpFile) {
            for ($path = $address->name(); \strlen($path) > 1 && !file_exists($path); $path = \dirname($path)) {
                $this->made[] = $path;
            }
        }
    }

    /** What is still there once a namespace is empty. */
    private function removePlaces(Dsn $address): void
    {
        array_map($this->removePlaces(...), $address->tiers);
        match ($address->scheme) {
            Scheme::File, Scheme::PhpFile => self::removeTree($address->name() . '/' . $this->namespace),
            Scheme::MySql => $this->dropTable($address),
            default => null,
        };
    }

    private function dropTable(Dsn $address): void
    {
        $socket = $address->options['socket'] ?? '';
        $server = $socket === '' ? $address->tcp($address->servers[0] ?? '', 3306) : null;
        $database = new \PDO(
            'mysql:dbname=' . ltrim($address->name(), '/') . ($server === null ? ';unix_socket=' . $socket : \sprintf(';host=%s;port=%d', trim($server->host, '[]'), $server->port)),
            $address->user,
            $address->password(),
            [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION],
        );
        $database->exec(\sprintf('DROP TABLE IF EXISTS `larder_%s_%s`', $this->namespace, $address->options['engine'] ?? 'innodb'));
    }

    private static function removeTree(string $directory): void
    {
        foreach (is_dir($directory) && !is_link($directory) ? (array) scandir($directory) : [] as $name) {
            $path = $directory . '/' . $name;
            if ($name !== '.' && $name !== '..') {
                is_dir($path) && !is_link($path) ? self::removeTree($path) : @unlink($path);
            }
        }
        @rmdir($directory);
    }
}
