<?php

declare(strict_types=1);

namespace Larder\Symfony\Tests;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** FPM could recompute after the response. There a framework has no request, no locale and no user any more. */
final class EarlyUnderFpmTest extends TestCase
{
    public function testEarlyValueIsRecomputedWithinTheRequest(): void
    {
        $folder = Servers::directory('symfony') . '/' . bin2hex(random_bytes(4));
        $memory = new TemporaryDirectory('/dev/shm');
        $settings = ['larder.path' => $memory->path];
        $server = PhpFpmServer::start("$folder/fpm", $settings, PhpProcess::engine(), [new PhpFpmPool(workers: 1)]);

        try {
            foreach (["file://$folder/cache", 'larder:'] as $dsn) {
                foreach (['first', 'second'] as $value) {
                    $query = http_build_query(['dsn' => $dsn, 'value' => $value]);
                    $response = $server->request(__DIR__ . '/pages/early.php', $query);
                    self::assertSame([200, '', $value], [$response->status, $response->errors, $response->body], $dsn);
                }
            }
        } finally {
            $server->stop();
            $memory->remove();
        }
    }
}
