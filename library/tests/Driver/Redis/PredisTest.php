<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

final class PredisTest extends RedisTestCase
{
    protected static function client(): string
    {
        return 'predis';
    }

    protected function programsConnection(string $host, int $port): array
    {
        $where = $port === 0 ? ['scheme' => 'unix', 'path' => $host] : ['scheme' => 'tcp', 'host' => $host, 'port' => $port];

        return [
            \sprintf('$client = new Predis\Client(%s);', var_export(['persistent' => true, ...$where], true)),
            '$client->executeRaw(["AUTH", "other", "word"]);',
            '$client->select(3);',
            '$client->executeRaw(["CLIENT", "INFO"])',
        ];
    }
}
