<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TagSet;

/** Tags whose versions Larder keeps and compares, so keys of tagged values need only the names. */
final class LarderTagSet extends TagSet
{
    /** @param list<string> $names */
    public function __construct(private readonly LarderCacheStore $larder, array $names)
    {
        parent::__construct($larder, $names);
    }

    /** @param string $name */
    public function resetTag($name): string
    {
        $this->larder->invalidate($name);

        return $name;
    }

    /** @param string $name */
    public function flushTag($name): void
    {
        $this->larder->invalidate($name);
    }

    /** @param string $name */
    public function tagId($name): string
    {
        return rawurlencode($name);
    }

    public function getNamespace(): string
    {
        return implode('|', array_map(rawurlencode(...), $this->names)); // no name has the separator then
    }
}
