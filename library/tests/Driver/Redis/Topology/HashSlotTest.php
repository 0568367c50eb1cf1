<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

final class HashSlotTest extends TestCase
{
    public function testSlotIsTheServers(): void
    {
        $nodes = Servers::redisCluster();
        $names = [
            'a', '{}', '{}a', 'a{b}c', 'a{b}', '{a', 'a}', 'a}b{c}', '{a}{b}', '{{a}}', "\0\xFF\x80",
            str_repeat('long', 100),
        ];
        for ($i = 0; $i < 200; ++$i) {
            $names[] = random_bytes(random_int(1, 40));
        }
        foreach ($names as $name) {
            self::assertSame(
                $nodes->ask($nodes->ports()[0], 'CLUSTER', 'KEYSLOT', $name),
                HashSlot::of($name),
                bin2hex($name),
            );
        }
    }
}
