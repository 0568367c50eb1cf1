<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * A value in the form in which its store keeps it, and its expiry.
 *
 * @template-covariant T
 */
final class Entry
{
    /**
     * @param T $stored
     * @param float|null $until unix time, 0.0 for never; null to keep the expiry of the existing value
     */
    public function __construct(public readonly mixed $stored, public readonly ?float $until) {}
}
