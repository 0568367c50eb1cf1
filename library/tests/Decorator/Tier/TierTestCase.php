<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Internal\Key\ReservedKey;
use Larder\Testing\AtomicContract;
use Larder\Testing\CapabilitiesContract;
use Larder\Testing\LockContract;
use Larder\Testing\NamespacesContract;
use Larder\Testing\RememberContract;
use Larder\Testing\StoreContract;
use Larder\Testing\StoreTestCase;
use Larder\Testing\TagsContract;

/** A local tier over a shared one, which hosts poll for changes every 0.02 s. */
abstract class TierTestCase extends StoreTestCase
{
    use AtomicContract;
    use CapabilitiesContract;
    use LockContract;
    use NamespacesContract;
    use RememberContract;
    use StoreContract;
    use TagsContract;

    /** The DSNs of both tiers. */
    abstract protected static function tiers(string $namespace): string;

    protected function open(string $namespace): Store
    {
        return Cache::open('tier:' . static::tiers($namespace) . '?poll=0.02')->store();
    }

    protected function mayApplyWhatItRefuses(): bool
    {
        return true;
    }

    protected function isInternalKey(string $key): bool
    {
        return ReservedKey::isOfChanges($key);
    }
}
