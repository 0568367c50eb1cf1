<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Apcu;
use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Process\Process;

#[RequiresPhpExtension('apcu')]
final class ApcuTest extends TestCase
{
    protected function tearDown(): void
    {
        Apcu::choose(null);
    }

    public function testNamedFileIsLoadedInPlaceOfTheInstalledOne(): void
    {
        $file = ini_get('extension_dir') . '/apcu.so';
        if (!is_file($file)) {
            self::markTestSkipped('APCu is not in the directory of extensions');
        }
        $copy = tempnam(sys_get_temp_dir(), 'apcu');
        copy($file, $copy);

        try {
            $notes = Apcu::choose($copy)->notes(self::subject('apcu'));
            self::assertSame(\sprintf('APCu %s, from %s', phpversion('apcu'), $copy), $notes[0] ?? '');
            $locations = new StoreLocations();
            $target = (new Catalog($locations))->subjects('apcu')[0] ?? null;
            self::assertInstanceOf(Target::class, $target);
            $process = new Process(
                $target->php->command(['-r', 'echo file_get_contents("/proc/self/maps");']),
                null,
                $target->php->environment(),
            );
            $process->mustRun();
            self::assertStringContainsString($copy, $process->getOutput());
            self::assertStringNotContainsString($file, $process->getOutput());
        } finally {
            unlink($copy);
        }
    }

    public function testFileThatIsNotApcuIsRefused(): void
    {
        $this->expectException(InvalidOptionException::class);
        $this->expectExceptionMessageMatches('/^--apcu: PHP 8\.\d cannot load APCu from /');
        Apcu::choose(__FILE__);
    }

    public function testMissingFileIsRefused(): void
    {
        $this->expectException(InvalidOptionException::class);
        $this->expectExceptionMessage('--apcu: there is no file /nowhere/apcu.so');
        Apcu::choose('/nowhere/apcu.so');
    }

    public function testOnlyRowsOfApcuAreMarked(): void
    {
        $apcu = Apcu::choose(null);
        $isOld = version_compare((string) phpversion('apcu'), '5.1.25', '<');
        self::assertCount($isOld ? 1 : 0, $apcu->notes(self::subject('apcu')));
        self::assertSame([], $apcu->notes(self::subject('redis')));
    }

    private static function subject(string $store): Subject
    {
        return new Subject('compare', $store, null, '1k', 1_000, 'get');
    }
}
