<?php

declare(strict_types=1);

namespace Larder\Tests\Tags;

use Larder\Cache;
use Larder\Testing\TagsContract;
use Larder\Tests\Place;

final class PredisTagsTest extends TagsContract
{
    protected function open(): Cache
    {
        return Place::Predis->in('tags');
    }
}
