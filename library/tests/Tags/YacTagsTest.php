<?php

declare(strict_types=1);

namespace Larder\Tests\Tags;

use Larder\Cache;
use Larder\Testing\TagsContract;
use Larder\Tests\Place;

final class YacTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return Place::Yac->in('tags');
    }

    /** It has no locks: two that write at once may meet. */
    protected function losses(): int
    {
        return 10;
    }
}
