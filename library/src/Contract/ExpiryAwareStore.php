<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;

/** A store that knows when each value expires. */
interface ExpiryAwareStore
{
    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<mixed>> those found, by key, in no order: value and unix time of expiry, 0.0 for
     *         never. PHP turns keys such as "7" into integers
     * @throws InvalidKey
     */
    public function entries(array $keys): array;
}
