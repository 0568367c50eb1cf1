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
        $this->useBuild(Sandbox::UNREADABLE);
    }

    /** Instead of the usual one: the build in which faults are. */
    protected function useCarelessBuild(): void
    {
        $this->useBuild(Sandbox::CARELESS);
    }

    /** @param Sandbox::UNREADABLE|Sandbox::CARELESS $build */
    private function useBuild(string $build): void
    {
        $this->sandbox->stop();

        try {
            $this->sandbox = new Sandbox($build);
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
