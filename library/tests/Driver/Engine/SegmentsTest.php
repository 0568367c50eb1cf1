<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use Larder\Cli\System\FileSystem;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\OtherUser;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Each user has a segment; a user who clears the wrong one in the shell gets a message. */
#[RequiresPhpExtension('larder')]
final class SegmentsTest extends TestCase
{
    private TemporaryDirectory $directory; // removed with this object
    private string $path;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It takes root to be several users');
        }
        $this->directory = new TemporaryDirectory(FileSystem::tmpfs());
        $this->path = $this->directory->path;
        chmod($this->path, 0o1777);
        copy(
            \dirname(__DIR__, 4) . '/extension/modules/larder.so',
            "$this->path/larder.so",
        ); // other users may not reach the clone
        chmod("$this->path/larder.so", 0o755);
    }

    #[TestWith(['larder:'])]
    #[TestWith(['larder:?namespace=shop'])]
    public function testWhoClearsAnotherUsersCacheIsWarned(string $dsn): void
    {
        $code = "\$cache = Larder\\Cache::open('$dsn'); %s echo \$cache->clear() ? 'cleared' : 'failed';";
        $clear = \sprintf($code, '');
        self::assertSame(['cleared', ''], $this->root($clear), 'nobody has a cache yet');
        self::assertSame(
            'cleared',
            OtherUser::run(OtherUser::VICTIM, \sprintf($code, '$cache->set("k", 1);'), $this->options()),
            'it was not empty',
        );

        [$said, $warning] = $this->root($clear . ' $cache->clear();');
        self::assertSame('cleared', $said);
        self::assertSame(
            'larder: Each user has a cache of its own. That of root, who runs this, was empty; '
                . "it is not that of www-data. For that: sudo -u www-data <this command>\n",
            $warning,
        );
        for ($time = 0; $time < 2; ++$time) {
            self::assertSame(
                'cleared',
                OtherUser::run(OtherUser::VICTIM, $clear, $this->options()),
                'the cache of root is no reason to warn',
            );
        }
        self::assertStringContainsString(
            'it is not that of www-data',
            OtherUser::run(OtherUser::STRANGER, $clear, $this->options()),
        );

        self::assertSame(
            ['cleared', ''],
            $this->root($clear, '-d', 'larder.segment=another'),
            'no other user has that segment',
        );
        self::assertSame(['cleared', ''], $this->root(\sprintf($code, '$cache->set("k", 1);')), 'it was not empty');
        self::assertSame('', $this->root('larder_store("k", 1);' . $clear)[1], 'the segment was not empty');
    }

    /** @return array{string, string} the output and the errors */
    private function root(string $code, string ...$options): array
    {
        $load = \sprintf('require %s; ', var_export(\dirname(__DIR__, 4) . '/vendor/autoload.php', true));
        $process = new Process([\PHP_BINARY, ...$this->options(), ...array_values($options), '-r', $load . $code]);
        $process->mustRun();

        return [$process->getOutput(), $process->getErrorOutput()];
    }

    /** @return list<string> of php */
    private function options(): array
    {
        $engine = PhpProcess::hasEngine() ? [] : ['-d', "extension=$this->path/larder.so"];

        return [...$engine, '-d', "larder.path=$this->path", '-d', 'larder.size=8M', '-d', 'larder.segment=default'];
    }
}
