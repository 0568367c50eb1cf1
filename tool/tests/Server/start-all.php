<?php

declare(strict_types=1);

// Starts every server in the directory given, says so, and waits to be killed.

use Larder\Tool\Server\MariaDbServer;
use Larder\Tool\Server\MemcachedServer;
use Larder\Tool\Server\PhpFpmServer;
use Larder\Tool\Server\RedisServer;

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
