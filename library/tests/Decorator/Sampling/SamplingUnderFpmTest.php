<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Sampling;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Internal\Decorator\Sampling\RecordingFile;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/**
 * Samples of real requests with different ends, in one worker that serves many. (Several workers would sometimes find
 * the file locked.)
 */
final class SamplingUnderFpmTest extends TestCase
{
    private const REQUESTS = 12;

    public function testEachRequestAddsItsSamples(): void
    {
        $directory = Servers::directory('sampled-' . bin2hex(random_bytes(4)));
        $server = PhpFpmServer::start($directory . '/fpm', pools: [new PhpFpmPool()]);

        try {
            for ($request = 0; $request < self::REQUESTS; ++$request) {
                $end = $request % 2 === 0 ? 'exit' : '';
                $response = $server->request(
                    __DIR__ . '/pages/sampled.php',
                    http_build_query(['directory' => $directory, 'end' => $end]),
                );
                self::assertSame($end === '' ? 'done' : 'left', $response->body);
            }
            // The last answer may arrive before the samples are written.
            Servers::await(static fn(): bool => RecordingFile::in($directory)->read()->requests >= self::REQUESTS);
        } finally {
            $server->stop();
        }
        $recording = RecordingFile::in($directory)->read();
        self::assertSame([5 * self::REQUESTS, (float) self::REQUESTS], [$recording->samples, $recording->requests]);
        self::assertEquals(
            ['write string 9' => self::REQUESTS, 'hit string 9' => 4 * self::REQUESTS],
            $recording->counts,
        );
    }
}
