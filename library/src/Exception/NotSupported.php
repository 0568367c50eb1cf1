<?php

declare(strict_types=1);

namespace Larder\Exception;

use Larder\Contract\Capability;
use Larder\Contract\Store;

/** What a store cannot do. The message names the store, the capability, and the stores that have it. */
final class NotSupported extends \LogicException implements CacheException
{
    public static function by(Store $store, Capability $capability): self
    {
        return new self(\sprintf('%s cannot %s. Stores that can: %s', Capability::nameOf($store), $capability->words(), implode(', ', $capability->stores())));
    }
}
