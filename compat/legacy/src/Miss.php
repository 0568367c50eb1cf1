<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** What larder_fetch() returns where there is nothing: no stored value is this one. */
enum Miss
{
    case Here;
}
