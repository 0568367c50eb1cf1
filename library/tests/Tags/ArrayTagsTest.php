<?php

declare(strict_types=1);

namespace Larder\Tests\Tags;

use Larder\Cache;
use Larder\Testing\TagsContract;
use Larder\Tests\Place;

final class ArrayTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return Place::Array->in('tags');
    }

    protected function isOnlyInItsObject(): bool
    {
        return true;
    }
}
