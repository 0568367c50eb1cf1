<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/**
 * One request's use of a cache, as PHP code for each side. RequestRig replaces {folder}, the sockets {redis},
 * {memcached} and {pgsql}, and {password} (of PostgreSQL) in the code.
 */
final class RequestPage
{
    /**
     * @param string $work description of the work
     * @param string $peer class of the other side
     * @param string $ours an expression that opens our cache, which becomes $cache; empty for none
     * @param string $theirs an expression that opens the peer's cache
     * @param float|null $bound largest allowed ratio
     * @param string $read an expression that reads RequestRig::VALUE from our $cache
     * @param string $readTheirs the same for the peer's cache
     * @param string $write stores that value in our $cache, before the first request
     * @param string $writeTheirs the same for the peer's cache
     */
    public function __construct(
        public readonly string $work,
        public readonly string $peer,
        public readonly string $ours,
        public readonly string $theirs,
        public readonly ?float $bound = null,
        public readonly string $read = '$cache->get("key")',
        public readonly string $readTheirs = '$cache->getItem("key")->get()',
        public readonly string $write = '$cache->set("key", "x123456789")',
        public readonly string $writeTheirs = '$cache->save($cache->getItem("key")->set("x123456789"))',
    ) {}
}
