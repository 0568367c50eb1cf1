<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A DSN that names no store, or that a store does not understand. The message names the wrong part and what is allowed there. */
final class InvalidDsn extends \InvalidArgumentException implements CacheException {}
