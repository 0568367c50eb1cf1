<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\ServerFailed;
use Larder\Internal\Driver\Connection;

/** A private server. The launcher that a driver's variant names "Redis" is the class RedisServer here. */
interface Server
{
    /**
     * @param string $directory for data, socket and log; made when missing
     * @param list<string> $options of the server program
     * @throws ServerFailed
     */
    public static function start(string $directory, array $options = []): self;

    /** @return string the part of its DSN after "scheme://"; options may be added */
    public function location(Connection $connection): string;

    public function version(): string;

    public function stop(): void;
}
