<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Psr\Log\LoggerInterface;

/**
 * The caches of a DSN, for pools, locks and sessions. Opens nothing before one of them is used, so that the container
 * can be built, and emptied, where the store is not.
 */
final class Provider
{
    /** Bytes of Symfony's own names, and of the hash of a longer one: Larder's namespaces have 32 in all. */
    private const LONGEST = 10;

    private ?Cache $cache = null;

    /** @param string|null $dsn null for that of the environment variable LARDER_DSN, or "auto:" without it */
    public function __construct(
        #[\SensitiveParameter]
        private readonly ?string $dsn = null,
        private readonly ?LoggerInterface $logger = null,
    ) {}

    /**
     * @param string $name of a pool; '' for the cache of the DSN itself. Pools of different names share no key
     * @throws InvalidDsn|StoreUnavailable
     */
    public function cache(string $name = ''): Cache
    {
        $this->cache ??= Cache::open(Factory::dsn($this->dsn) ?? $this->dsn, $this->logger);

        return self::within($this->cache, $name);
    }

    /**
     * @param self|Cache|string|null $from a string is a DSN; null as for the constructor
     * @throws InvalidDsn|StoreUnavailable
     */
    public static function open(
        #[\SensitiveParameter]
        self|Cache|string|null $from,
        string $name,
        ?LoggerInterface $logger = null,
    ): Cache {
        return match (true) {
            $from instanceof Cache => self::within($from, $name),
            $from instanceof self => $from->cache($name),
            default => (new self($from, $logger))->cache($name),
        };
    }

    /** A name of Symfony's, which may have any length and characters such as +, becomes a namespace of Larder's. */
    private static function within(Cache $cache, string $name): Cache
    {
        if ($name === '') {
            return $cache;
        }
        if (preg_match('/^[A-Za-z0-9_-]{1,' . self::LONGEST . '}$/D', $name) !== 1) {
            $name = substr(strtr(base64_encode(hash('xxh128', $name, true)), '+/', '-_'), 0, self::LONGEST);
        }

        try {
            return $cache->withSubNamespace($name);
        } catch (InvalidDsn $thrown) {
            throw new InvalidDsn('The namespace in the DSN is too long for pools and locks of Symfony, which add up to '
                . (1 + self::LONGEST) . ' characters: of the 32, use at most ' . (31 - self::LONGEST), 0, $thrown);
        }
    }
}
