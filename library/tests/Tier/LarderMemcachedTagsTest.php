<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Cache;
use Larder\Key\ReservedKey;
use Larder\Testing\TagsContract;
use Larder\Tests\Servers;

final class LarderMemcachedTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return new Cache(Tiers::LarderMemcached->open('tags' . Servers::run()));
    }

    protected function delay(): float
    {
        return Tiers::LarderMemcached->delay();
    }

    protected function isOfTheStore(string $key): bool
    {
        return ReservedKey::isOfChanges($key);
    }
}
