<?php

declare(strict_types=1);

namespace Larder\Exception;

/**
 * A DSN that names no store, or that its store does not understand. The message names the wrong part and what is
 * allowed.
 */
final class InvalidDsn extends \InvalidArgumentException implements CacheException {}
