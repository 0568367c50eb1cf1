<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\TestCase;

/** Real processes of real users around one cache, which is the test's own. */
abstract class EngineTestCase extends TestCase
{
    protected Sandbox $sandbox;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
    }

    protected function tearDown(): void
    {
        $this->sandbox->stop();
    }

    protected static function needsRoot(): void
    {
        if (!User::mayChange()) {
            self::markTestSkipped('only root can run processes of other users');
        }
    }
}
