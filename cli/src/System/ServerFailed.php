<?php

declare(strict_types=1);

namespace Larder\Cli\System;

/**
 * A server could not be started, or did not answer. The message names the cause and, where a package is missing, the
 * package.
 */
final class ServerFailed extends \RuntimeException {}
