<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

final class RedisTest extends RedisTestCase
{
    protected static function client(): string
    {
        return 'phpredis';
    }

    protected function programsConnection(string $host, int $port): array
    {
        return [
            \sprintf('$client = new Redis(); $client->pconnect(%s, %d);', var_export($host, true), $port),
            '$client->auth(["other", "word"]);',
            '$client->select(3);',
            '$client->rawcommand("CLIENT", "INFO")',
        ];
    }
}
