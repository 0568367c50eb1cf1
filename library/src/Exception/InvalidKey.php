<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A key that is empty or longer than 65,535 bytes. Everything else is a key. */
final class InvalidKey extends \ValueError implements CacheException {}
