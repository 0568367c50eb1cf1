<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A key that is empty or longer than 65,535 bytes, or, for a write, begins with "\0larder-" as Larder's own do. */
final class InvalidKey extends \ValueError implements CacheException {}
