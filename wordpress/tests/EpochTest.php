<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\WordPress\Backend\Engine;
use Larder\WordPress\ObjectCache\Epoch;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/functions.php';
require_once __DIR__ . '/Database.php';

/** On the command line, which never becomes the owner of the cache, but can be that already. */
final class EpochTest extends TestCase
{
    private string $prefix;
    private Engine $backend;
    private Database $database;

    protected function setUp(): void
    {
        Calls::reset();
        $this->prefix = bin2hex(random_bytes(4)) . ':';
        $this->backend = new Engine();
        $GLOBALS['wpdb'] = $this->database = new Database();
        $this->database->setEpoch($this->row(10));
        self::assertTrue($this->epoch()->isShared());
    }

    protected function tearDown(): void
    {
        unset($GLOBALS['wpdb']);
    }

    private function epoch(): Epoch
    {
        return new Epoch($this->backend, $this->prefix);
    }

    /** @param float $age in seconds */
    private function row(float $age, string $epoch = '100.5'): string
    {
        $owner = hash('xxh3', $this->prefix . $this->backend->identity());

        return \sprintf('%s %d %s', $epoch, microtime(true) - $age, $owner);
    }

    /** What the next request does once it is time to look. Returns whether it forgets everything. */
    private function looks(): bool
    {
        $known = $this->backend->get("{$this->prefix}epoch");
        self::assertIsArray($known);
        $this->backend->set("{$this->prefix}epoch", [1 => microtime(true) - 0.001] + $known);
        $before = $this->backend->generation("{$this->prefix}generation");
        self::assertTrue($this->epoch()->isShared());

        return $before !== $this->backend->generation("{$this->prefix}generation");
    }

    public function testAnotherEpochIsSeen(): void
    {
        self::assertFalse($this->looks());
        $this->epoch()->change();
        self::assertTrue($this->looks());
        self::assertTrue($this->epoch()->isShared());
        self::assertFalse($this->looks());
    }

    public function testARestoredDatabaseIsSeen(): void
    {
        $this->database->setEpoch($this->row(50));
        self::assertTrue($this->looks());
        self::assertFalse($this->looks());
        $this->database->setEpoch($this->row(86_400));
        self::assertTrue($this->looks());
        self::assertFalse($this->looks(), 'the row was renewed');
    }

    public function testARestoredMemoryIsSeen(): void
    {
        $this->backend->set("{$this->prefix}time", time() - 3600);
        self::assertTrue($this->looks());
        self::assertFalse($this->looks());
    }

    public function testOneProcessRenewsAndNobodyWaitsForIt(): void
    {
        $this->database->setEpoch($old = $this->row(70));
        $this->backend->set("{$this->prefix}time", (int) explode(' ', $old)[1]);
        $this->database->before = function () use (&$hasCache): void {
            $this->database->before = null;
            $hasCache = $this->epoch()->isShared();
        };
        self::assertFalse($this->looks());
        self::assertTrue($hasCache);
        self::assertSame(1, $this->database->countQueries());
        self::assertNotSame($old, $this->database->epoch());
        self::assertFalse($this->looks());
        self::assertSame(1, $this->database->countQueries());
    }

    public function testAProcessWithOtherNamesHasAnotherCache(): void
    {
        self::assertTrue((new Epoch(new Engine(), $this->prefix))->isShared());
        self::assertFalse((new Epoch(new Engine(), "other-$this->prefix"))->isShared());
    }

    public function testAClockThatWentBackDoesNotEndTheLooks(): void
    {
        $this->backend->set("{$this->prefix}epoch", ['100.5', microtime(true) + 3600, 0.0]);
        $this->epoch()->change();
        $before = $this->backend->generation("{$this->prefix}generation");
        self::assertTrue($this->epoch()->isShared());
        self::assertNotSame($before, $this->backend->generation("{$this->prefix}generation"));

        $this->database->setEpoch($ahead = $this->row(-3600));
        self::assertTrue($this->looks());
        self::assertNotSame($ahead, $this->database->epoch(), 'the row was renewed');
        self::assertFalse($this->looks());
    }
}
