<?php

declare(strict_types=1);

// Starts the web servers in the given directory, prints their ports, and waits to be killed.

use Larder\Cli\Server\ApacheServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmServer;

require __DIR__ . '/../../../vendor/autoload.php';

/** @var array{string, string} $argv */
$directory = $argv[1];
$fpm = PhpFpmServer::start($directory);
$nginx = NginxServer::start($directory . '/nginx', $directory, $fpm->socket);
$apache = ApacheServer::start($directory . '/apache', $directory);
echo $nginx->port, ' ', $apache->port, " ready\n";
sleep(60);
