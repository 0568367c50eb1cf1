<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\TestCase;

/** A broken guarantee fails, and the records are readable. */
final class ProofTest extends TestCase
{
    private TemporaryDirectory $directory;
    private string|false $usual;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
        $this->usual = getenv('LARDER_PROOF_RESULTS');
        putenv('LARDER_PROOF_RESULTS=' . $this->results());
    }

    protected function tearDown(): void
    {
        putenv($this->usual === false ? 'LARDER_PROOF_RESULTS' : 'LARDER_PROOF_RESULTS=' . $this->usual);
        $this->directory->remove();
    }

    public function testEachRecordIsAJsonObject(): void
    {
        Proof::record('holding.example', 1_000, 'values', 0, ['share/most' => '99.9 %'], 7);
        Proof::control('holding.example', 'APCu: full', 10, 3);
        self::assertSame(
            '{"proof":"holding.example","tried":1000,"unit":"values","failed":0,"figures":{"share/most":"99.9 %"},"seed":7}' . "\n"
            . '{"proof":"holding.example","control":"APCu: full","tried":10,"failed":3}' . "\n",
            file_get_contents($this->results()),
        );
    }

    public function testFailureIsRecordedAndFails(): void
    {
        foreach ([
            static fn() => Proof::record('holding.example', 1_000, 'values', 1),
            static fn() => Proof::record('holding.example', 0, 'values', 0),
            static fn() => Proof::control('holding.example', 'nothing was broken', 10, 0),
        ] as $line => $fails) {
            self::assertTrue(self::isRefused($fails));
            self::assertCount($line + 1, (array) file($this->results()));
        }
    }

    public function testUnknownAreaIsRefused(): void
    {
        foreach (['elsewhere.example', 'holding', 'holding.'] as $name) {
            self::assertTrue(self::isRefused(static fn() => Proof::record($name, 1, 'values', 0)), $name);
        }
        self::assertFileDoesNotExist($this->results());
    }

    private function results(): string
    {
        return $this->directory->path . '/results';
    }

    /** @param \Closure(): void $told */
    private static function isRefused(\Closure $told): bool
    {
        try {
            $told();
        } catch (AssertionFailedError) {
            return true;
        }

        return false;
    }
}
