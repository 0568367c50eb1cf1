<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Advice\Profile;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class SampleCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(sys_get_temp_dir());
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testTrafficOfAProgramBecomesAProfile(): void
    {
        [$code, , $errors] = $this->php([self::ROOT . '/cli/bin/larder', 'sample', '--show']);
        self::assertSame(1, $code);
        self::assertStringContainsString('Nothing was recorded for the user', $errors);
        self::assertSame(0, $this->php([self::ROOT . '/cli/bin/larder', 'sample'])[0]);

        $program = '$cache = Larder\Cache::open("file://" . sys_get_temp_dir() . "/cache?sample=1"); '
            . '$cache->set("k", str_repeat("x", 1000)); for ($i = 0; $i < 9; ++$i) { $cache->get("k"); }';
        for ($request = 0; $request < 2; ++$request) {
            self::assertSame([0, '', ''], $this->php([
                '-r',
                \sprintf('require %s; ', var_export((string) realpath(self::ROOT . '/vendor/autoload.php'), true))
                    . $program,
            ]));
        }
        [$code, $shown, $errors] = $this->php([self::ROOT . '/cli/bin/larder', 'sample', '--show']);
        self::assertSame([0, "Only 20 samples: the shares are rough.\n"], [$code, $errors]);
        file_put_contents($this->directory->path . '/profile.json', $shown);
        $profile = Profile::read($this->directory->path . '/profile.json');
        self::assertEquals([[768 => 1.0], 0.9, 1.0, 10.0, 20], [
            $profile->strings, $profile->readShare, $profile->hitRate, $profile->operationsPerRequest,
            $profile->samples,
        ]);
        self::assertStringContainsString('20 samples from ', $this->php([self::ROOT . '/cli/bin/larder', 'sample'])[1]);

        self::assertStringContainsString(
            'The recording was discarded.',
            $this->php([self::ROOT . '/cli/bin/larder', 'sample', '--reset'])[2],
        );
        self::assertSame(1, $this->php([self::ROOT . '/cli/bin/larder', 'sample', '--show'])[0]);
    }

    /**
     * Because of open_basedir, the recording is in the temporary directory, and not in that of the user who runs the
     * tests.
     *
     * @param list<string> $arguments
     * @return array{int, string, string} exit code, output, errors
     */
    private function php(array $arguments): array
    {
        $allowed = implode(':', [(string) realpath(self::ROOT), $this->directory->path]);
        $process = new Process([
            \PHP_BINARY,
            '-d',
            'open_basedir=' . $allowed,
            '-d',
            'sys_temp_dir=' . $this->directory->path,
            ...$arguments,
        ], env: ['XDG_CONFIG_HOME' => $this->directory->path]);

        return [$process->run(), $process->getOutput(), $process->getErrorOutput()];
    }
}
