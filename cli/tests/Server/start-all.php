<?php

declare(strict_types=1);

// Starts every server in the given directory, reports that, and waits to be killed.

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;

require __DIR__ . '/../../../vendor/autoload.php';

/** @var array{string, string} $argv */
$directory = $argv[1];
$servers = [
    MemcachedServer::start($directory),
    RedisServer::start($directory),
    MariaDbServer::start($directory),
    PhpFpmServer::start($directory),
];
echo "ready\n";
sleep(60);
