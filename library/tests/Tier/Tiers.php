<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Tests\Servers;

/** The tiers that are held to the contracts. Hosts ask every 0.02 s. */
enum Tiers
{
    case ArrayRedis;
    case LarderMemcached;
    case LarderFile;

    /** @param string $namespace of the shared tier; the local ones have several in one place */
    public function open(string $namespace): Store
    {
        return Cache::open(\sprintf(match ($this) {
            self::ArrayRedis => 'tier:(array:)(redis://%s?namespace=%s' . Servers::PATIENTLY . ')?poll=0.02',
            self::LarderMemcached => 'tier:(larder:)(memcached://%s?namespace=%s' . Servers::PATIENTLY . ')?poll=0.02',
            self::LarderFile => 'tier:(larder:?namespace=tier)(file://%s?namespace=%s)?poll=0.02',
        }, match ($this) {
            self::ArrayRedis => Servers::redis()->socket,
            self::LarderMemcached => Servers::memcached()->socket,
            self::LarderFile => Servers::directory('tier'),
        }, $namespace))->store();
    }

    /** @param string $name as for Place::in() */
    public function in(string $name): Cache
    {
        return new Cache($this->open(Servers::run() . $name));
    }

    /** Seconds until other processes' changes are seen: at once where they have the local tier together. */
    public function delay(): float
    {
        return $this === self::ArrayRedis ? 0.1 : 0.0;
    }
}
