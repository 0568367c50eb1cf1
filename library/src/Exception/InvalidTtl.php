<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A ttl that is negative or not a number. */
final class InvalidTtl extends \ValueError implements CacheException {}
