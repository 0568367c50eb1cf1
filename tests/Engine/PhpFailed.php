<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** A PHP process under test did not return a result; the message is its output. */
final class PhpFailed extends \RuntimeException {}
