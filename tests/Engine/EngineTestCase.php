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

    /** Instead of the usual one: the build for tests, in which mistakes can be switched on. */
    protected function useUnreadableBuild(): void
    {
        $this->sandbox->stop();

        try {
            $this->sandbox = new Sandbox(Sandbox::UNREADABLE);
        } catch (\RuntimeException $missing) {
            self::markTestSkipped($missing->getMessage());
        }
    }

    protected static function needsRoot(): void
    {
        if (!User::mayChange()) {
            self::markTestSkipped('only root can run processes of other users');
        }
    }
}
