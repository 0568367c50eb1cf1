<?php

declare(strict_types=1);

namespace Larder\Tests\Filesystem;

use Larder\Internal\Filesystem\FolderTree;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

final class FolderTreeTest extends TestCase
{
    private const PROCESSES = 6;
    private const ROUNDS = 500;

    /** The first requests after a deployment. */
    public function testManyProcessesMakeItAtOnce(): void
    {
        $home = Servers::directory('tree-' . bin2hex(random_bytes(4)));
        $start = microtime(true) + 0.2;
        $make = static function () use ($home, $start): int {
            $failures = 0;
            for ($round = 0; $round < self::ROUNDS; ++$round) {
                while (microtime(true) < $start + 0.002 * $round);
                $failures += (int) !@FolderTree::make("$home/$round/a/b/c");
            }

            return $failures;
        };
        $forks = array_map(static fn(): Fork => Fork::start($make), range(1, self::PROCESSES));
        self::assertSame(
            array_fill(0, self::PROCESSES, 0),
            array_map(static fn(Fork $fork): mixed => $fork->result(), $forks),
        );
    }
}
