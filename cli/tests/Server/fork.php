<?php

declare(strict_types=1);

// Starts Redis, forks, lets the child exit with all its destructors, and asks whether Redis still answers.

use Larder\Cli\Server\Address;
use Larder\Cli\Server\RedisServer;

require __DIR__ . '/../../../vendor/autoload.php';

/** @var array{string, string} $argv */
$server = RedisServer::start($argv[1]);
$child = pcntl_fork();
if ($child === 0) {
    exit(0);
}
pcntl_waitpid($child, $status);
exit(Address::says($server->socket, "PING\r\n", 'PONG') ? 0 : 1);
