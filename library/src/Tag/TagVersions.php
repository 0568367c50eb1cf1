<?php

declare(strict_types=1);

namespace Larder\Tag;

/**
 * The versions of some tags at one moment, from Cache::tagVersions(): what is stored with them later is not served if
 * one of the tags was invalidated since that moment.
 */
final class TagVersions
{
    /** @param array<array-key, int>|null $byTag null when the store refused them: nothing can be stored with these tags then */
    public function __construct(public readonly ?array $byTag) {}
}
