<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\TestCase;

/** Real processes of real users around one cache, which only the test uses. */
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

    /** Uses the test build, in which faults can be enabled. */
    protected function useUnreadableBuild(): void
    {
        $this->useBuild(Sandbox::UNREADABLE);
    }

    /** Uses the build with built-in faults. */
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
