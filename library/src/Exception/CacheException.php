<?php

declare(strict_types=1);

namespace Larder\Exception;

use Psr\Cache\CacheException as ItemPoolException;
use Psr\SimpleCache\CacheException as SimpleCacheException;

/** Marks every exception that Larder throws, for callers that know Larder, PSR-6 or PSR-16. */
interface CacheException extends ItemPoolException, SimpleCacheException {}
