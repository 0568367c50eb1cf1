<?php

declare(strict_types=1);

namespace Larder\Cli\Tests;

use Larder\Cli\System\FileSystem;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\OtherUser;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Runs bin/restart.php with a script in place of the command, which reports its user. */
#[RequiresPhpExtension('larder')]
final class RestartTest extends TestCase
{
    private const ROOT = __DIR__ . '/../..';
    private const SCRIPT = <<<'PHP'
        <?php
        is_file(__DIR__ . '/vendor/autoload.php') && $GLOBALS['_composer_autoload_path'] = __DIR__ . '/vendor/autoload.php';
        require __DIR__ . '/restart.php';
        larder_store('k', 1);
        $info = larder_info(false);
        echo json_encode([
            'user' => posix_geteuid(), 'groups' => posix_getgroups(), 'home' => getenv('HOME'), 'secret' => getenv('SECRET'),
            'passed' => getenv('LARDER_EXTENSION'), 'leads' => posix_getsid(0) === getmypid(), 'words' => array_slice($argv, 1),
            'cache' => $info['user'], 'segment' => $info['segment'],
        ]);
        exit(1);
        PHP;

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(FileSystem::tmpfs());
        OtherUser::letThrough($this->directory->path);
        mkdir("{$this->directory->path}/shm");
        chmod("{$this->directory->path}/shm", 0o1777);
        copy(self::ROOT . '/cli/bin/restart.php', "{$this->directory->path}/restart.php");
        copy(self::ROOT . '/extension/modules/larder.so', "{$this->directory->path}/larder.so");
        file_put_contents("{$this->directory->path}/larder", self::SCRIPT);
    }

    public function testRootBecomesAnotherUser(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can become another user');
        }
        $as = $this->report(['keys', '--user', 'www-data', 'a prefix', '--segment=other', '--', '--user']);
        self::assertSame([33, 33, [33]], [$as['user'], $as['cache'], $as['groups']]);
        self::assertSame(['other', ['keys', 'a prefix', '--', '--user']], [$as['segment'], $as['words']]);
        self::assertSame(
            ['/var/www', false, "{$this->directory->path}/larder.so"],
            [$as['home'], $as['secret'], $as['passed']],
        );
        self::assertTrue($as['leads'], 'a session of its own');

        $as = $this->report(['keys', 'a prefix']);
        self::assertSame(
            [0, 0, 'of root', ['keys', 'a prefix']],
            [$as['user'], $as['cache'], $as['secret'], $as['words']],
            'the control',
        );
    }

    public function testUserWhoCannotReadTheCommandIsTold(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can become another user');
        }
        chmod($this->directory->path, 0o700);
        $run = $this->start(['keys', '--user', 'www-data']);
        self::assertSame([3, ''], [$run->run(), $run->getOutput()]);
        self::assertStringContainsString(
            "www-data cannot read {$this->directory->path}/larder: let that user read it ",
            $run->getErrorOutput(),
        );
        chmod($this->directory->path, 0o755);
        mkdir("{$this->directory->path}/vendor", 0o700);
        touch("{$this->directory->path}/vendor/autoload.php");
        $run = $this->start(['keys', '--user', 'www-data']);
        self::assertSame([3, ''], [$run->run(), $run->getOutput()], 'else PHP ends with a fatal error');
        self::assertStringContainsString('/vendor/autoload.php: let that user read it ', $run->getErrorOutput());
    }

    public function testSegmentIsChosen(): void
    {
        $other = $this->report(['keys', '--segment', 'other']);
        self::assertSame(['other', ['keys']], [$other['segment'], $other['words']]);
        self::assertSame(
            ['--segment', 'other'],
            \array_slice($this->report(['resize', '--segment', 'other'])['words'], 1),
        );
    }

    public function testMistakesAreRefused(): void
    {
        foreach ([['--user', 'no-such-user'], ['--user'], ['--user='], ['--segment']] as $words) {
            $run = $this->start(['keys', ...$words]);
            self::assertSame([3, ''], [$run->run(), $run->getOutput()]);
            self::assertStringStartsWith('larder: ', $run->getErrorOutput());
        }
    }

    public function testDisabledFunctionIsNamedBeforeItIsCalled(): void
    {
        foreach (['proc_open', 'posix_geteuid', 'getmypid'] as $function) {
            $run = $this->start(['doctor'], ['-d', "disable_functions=$function"]);
            self::assertSame([3, ''], [$run->run(), $run->getOutput()]);
            self::assertSame(
                "larder: PHP has no function $function() here, which it needs: "
                    . "php -d disable_functions= {$this->directory->path}/larder …\n",
                $run->getErrorOutput(),
            );
        }
    }

    /**
     * @param list<string> $words
     * @return array{user: int, groups: list<int>, home: string, secret: string|false, passed: string, leads: bool, words: list<string>, cache: int, segment: string}
     */
    private function report(array $words): array
    {
        $run = $this->start($words);
        self::assertSame(1, $run->run(), $run->getErrorOutput());

        /** @var array{user: int, groups: list<int>, home: string, secret: string|false, passed: string, leads: bool, words: list<string>, cache: int, segment: string} */
        return json_decode($run->getOutput(), true, 512, \JSON_THROW_ON_ERROR);
    }

    /**
     * @param list<string> $words
     * @param list<string> $settings
     */
    private function start(array $words, array $settings = []): Process
    {
        $engine = "{$this->directory->path}/larder.so";
        $php = [\PHP_BINARY, '-n', '-d', 'extension=posix', '-d', "extension=$engine", '-d', "larder.path={$this->directory->path}/shm", ...$settings];

        return new Process([...$php, "{$this->directory->path}/larder", ...$words], env: ['SECRET' => 'of root', 'LARDER_EXTENSION' => $engine], timeout: 600.0);
    }
}
