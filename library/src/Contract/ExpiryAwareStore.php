<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;

/** A store that can tell until when it keeps a value. */
interface ExpiryAwareStore
{
    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<mixed>> by key, in no order: the value and the unix time at which it expires, 0.0 for
     *                                        never; nothing for what is not there. PHP makes integers of keys such as "7"
     * @throws InvalidKey
     */
    public function entries(array $keys): array;
}
