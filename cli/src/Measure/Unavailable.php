<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/** Something to be measured is not there on this machine. The message says why and how to get it. */
final class Unavailable extends \RuntimeException {}
