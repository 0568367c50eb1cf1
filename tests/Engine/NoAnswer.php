<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** A PHP under test did not give back what it was asked for; the message holds what it printed. */
final class NoAnswer extends \RuntimeException {}
