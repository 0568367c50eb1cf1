<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A store lacks a capability. The message names the store, the capability, and the stores that have it. */
final class NotSupported extends \LogicException implements CacheException {}
