<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/** A store or program to be measured is missing on this machine. The message says why and how to install it. */
final class Unavailable extends \RuntimeException {}
