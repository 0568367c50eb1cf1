<?php

declare(strict_types=1);

namespace Larder\Tests\Tags;

use Larder\Cache;
use Larder\Testing\TagsContract;
use Larder\Tests\Place;

final class NamespacedLarderTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return Place::NamespacedLarder->in('tags');
    }
}
