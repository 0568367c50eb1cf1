<?php

declare(strict_types=1);

namespace Larder\Exception;

/** What a store cannot do. The message names the store, what it cannot do, and the stores that can. */
final class NotSupported extends \LogicException implements CacheException {}
