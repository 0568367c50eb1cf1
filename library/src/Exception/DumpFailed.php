<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A dump that cannot be written, or is not loaded. The message says what is wrong with which file, and what to do. */
final class DumpFailed extends \RuntimeException implements CacheException {}
