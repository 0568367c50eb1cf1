<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\Php;
use Larder\Cli\Workload\Peer;
use Larder\Cli\Workload\Peers;
use Larder\Cli\Workload\PeerTask;
use Larder\Cli\Workload\TaskBlock;

final class PeersTest extends TaskTestCase
{
    public function testEachLibraryIsMeasuredOrNamedWithItsReason(): void
    {
        $locations = new StoreLocations();
        $reasons = $measured = [];
        $blocks = (new Peers($locations, milliseconds: 1))->blocks(
            static function (Subject $subject, string $reason) use (&$reasons): void {
                $reasons[] = $reason;
            },
        );
        foreach ($blocks as $block) {
            try {
                $block->run(static function (Sample $sample) use (&$measured): void {
                    self::assertSame('', $sample->problem);
                    self::assertGreaterThan(0, $sample->figure);
                    $measured[$sample->subject->store][$sample->subject->settings['on']] = true;
                });
            } catch (Unavailable $unavailable) {
                $reasons[] = $unavailable->getMessage();
            }
        }
        self::assertArrayHasKey('symfony/cache', $measured);
        self::assertArrayHasKey('file', $measured['symfony/cache']);
        foreach ($reasons as $reason) {
            self::assertMatchesRegularExpression('/To (add|have) it: /', $reason);
        }
    }

    /** APCu is disabled on the command line by default: Symfony's adapter then stores nothing. */
    public function testLibraryThatKeepsNothingFails(): void
    {
        $samples = self::samples(new TaskBlock(
            new PeerTask(Peer::Symfony, 'apcu', null, 'apcu:', '', 1),
            new Php(['apc.enable_cli' => '0']),
        ));
        self::assertNotSame([], $samples);
        foreach ($samples as $sample) {
            self::assertNull($sample->figure);
        }
    }
}
