<?php

declare(strict_types=1);

namespace Larder\Exception;

/** An address that names no store, or that a store does not understand. The message says what is known. */
final class InvalidDsn extends \InvalidArgumentException implements CacheException {}
