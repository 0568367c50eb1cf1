<?php

declare(strict_types=1);

namespace Larder\Exception;

/** Marks every exception that Larder throws. */
interface CacheException extends \Throwable {}
