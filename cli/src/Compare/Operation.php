<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** What is measured of a store. In the order measured: the sets of a php-file store use up opcache's memory. */
enum Operation: string
{
    case Get = 'get';
    case Set = 'set';
}
