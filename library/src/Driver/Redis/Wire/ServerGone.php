<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Wire;

/** A server that cannot be listened to now: it is unreachable, refuses, or has hung up. The message says which. */
final class ServerGone extends \RuntimeException {}
