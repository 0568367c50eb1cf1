<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/**
 * One request's use of a cache, for each side, as PHP code. In it, RequestRig replaces {folder}, {redis}, {memcached},
 * {pgsql} (sockets) and {password} (of PostgreSQL).
 */
final class RequestPage
{
    /**
     * @param string $work description of the work
     * @param string $peer class of the other side
     * @param string $ours an expression that opens our cache, as $cache; empty for none
     * @param string $theirs opens the other
     * @param float|null $bound largest allowed ratio
     * @param string $read of our $cache: gives RequestRig::VALUE
     * @param string $readTheirs of the other
     * @param string $write stores that value in our $cache, before the first request
     * @param string $writeTheirs in the other
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
