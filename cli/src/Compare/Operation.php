<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The operations that are measured, in this order: the sets of a php-file store use up opcache's memory. */
enum Operation: string
{
    case Get = 'get';
    case Set = 'set';
}
