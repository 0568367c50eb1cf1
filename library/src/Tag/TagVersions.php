<?php

declare(strict_types=1);

namespace Larder\Tag;

/**
 * The versions of some tags at one moment, from Cache::tagVersions(). A value stored with them later is not served if
 * one of the tags was invalidated after that moment.
 */
final class TagVersions
{
    /**
     * @param array<array-key, int>|null $byTag null if the store refused them: then nothing can be stored with these
     *         tags
     */
    public function __construct(public readonly ?array $byTag) {}
}
