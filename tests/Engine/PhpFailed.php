<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** A PHP process under test did not return what it was asked for; the message is what it printed. */
final class PhpFailed extends \RuntimeException {}
