<?php

declare(strict_types=1);

namespace Larder\Tests\Tags;

use Larder\Cache;
use Larder\Testing\TagsContract;
use Larder\Tests\Place;

final class MySqlMemoryTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return Place::MySqlMemory->in('tags');
    }
}
