<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

/** A request without a usable answer. */
final class HttpFailed extends \RuntimeException {}
