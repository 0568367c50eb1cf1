<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\ProjectTests\Repository;
use Symfony\Component\Process\Process;

/** If root creates a folder as the packages' tmpfiles.d says, no other user can deny its owner a cache. */
final class ProvidedFolderTest extends EngineTestCase
{
    private const STORE = 'return [larder_store("value", "mine"), larder_fetch("value"), larder_info()["reason"], larder_info()["path"] ?? ""];';

    protected function setUp(): void
    {
        parent::setUp();
        self::needsRoot();
    }

    public function testProvidedFolderIsUsedDespiteASquatter(): void
    {
        $stranger = $this->sandbox->commandLine(User::stranger());
        self::assertTrue($stranger->run("return mkdir('{$this->sandbox->segmentFolder()}');"));
        $fpm = $this->sandbox->fpm();
        $seen = $fpm->run(self::STORE);
        self::assertIsArray($seen);
        self::assertSame([false, null], \array_slice($seen, 0, 2), 'the control');
        self::assertIsString($seen[2]);
        self::assertStringContainsString('belongs to user ' . User::stranger()->id, $seen[2]);

        $this->provide();
        $folder = $this->sandbox->memory . '/larder/' . User::site()->id;
        $seen = $fpm->run(self::STORE);
        self::assertIsArray($seen);
        self::assertSame([true, 'mine', ''], \array_slice($seen, 0, 3));
        self::assertIsString($seen[3]);
        self::assertStringStartsWith("$folder/default-", $seen[3]);
        self::assertFalse($stranger->run("return @rename('$folder', '$folder.away') || @rename('{$this->sandbox->memory}/larder', '{$this->sandbox->memory}/away') || @mkdir('$folder/x');"));
    }

    public function testAttachedProcessesMoveToTheProvidedFolder(): void
    {
        $fpm = $this->sandbox->fpm();
        $php = $this->sandbox->commandLine();
        $fpm->run('larder_store("value", "old");');
        self::assertSame('old', $php->run('return $held = larder_fetch("value");'));
        $this->provide();
        usleep(1_100_000);
        self::assertSame([true, 'mine', ''], \array_slice((array) $fpm->run(self::STORE), 0, 3));
        self::assertSame('mine', $php->run('for ($i = 0; $i < 20; ++$i) { larder_exists("value"); } return larder_fetch("value");'));
        self::assertSame('mine', $this->sandbox->commandLine()->run('return larder_fetch("value");'));
        self::assertSame([], $this->sandbox->heldBy($fpm->pid()), 'nothing of the old folder');
    }

    /** Like with larder.path=/run, which only root can write. */
    public function testLibraryAcceptsTheFolderProvidedByRoot(): void
    {
        $path = $this->sandbox->memory . '/run';
        (new Process(['install', '-d', '-m', '755', $path]))->mustRun();
        $open = <<<'PHP'
            $folders = ['Larder\\' => '%1$s/larder/', 'Psr\\Log\\' => '%1$s/log/', 'Psr\\Cache\\' => '%1$s/cache/', 'Psr\\SimpleCache\\' => '%1$s/simple-cache/'];
            spl_autoload_register(static fn(string $class) => require strtr($class, [...$folders, '\\' => '/']) . '.php');
            try {
                return Larder\Cache::open('larder:')->set('k', 'v');
            } catch (Larder\Exception\StoreUnavailable $why) {
                return $why->getMessage();
            }
            PHP;
        $code = $this->sandbox->memory . '/code'; // a copy that the site's user can read
        mkdir($code);
        foreach (['larder' => 'library', 'log' => 'vendor/psr/log', 'cache' => 'vendor/psr/cache', 'simple-cache' => 'vendor/psr/simple-cache'] as $copy => $package) {
            (new Process(['cp', '-r', Repository::ROOT . "/$package/src", "$code/$copy"]))->mustRun();
        }
        (new Process(['chmod', '-R', 'a+rX', $code]))->mustRun();
        $open = \sprintf($open, $code);
        $php = fn(): CommandLine => $this->sandbox->commandLine(ini: ['larder.path' => $path]);
        $refusal = $php()->run($open);
        self::assertIsString($refusal, 'the control');
        self::assertStringStartsWith("larder: $path is not a directory", $refusal);
        (new Process(['install', '-d', '-m', '755', "$path/larder"]))->mustRun();
        (new Process(['install', '-d', '-m', '700', '-o', (string) User::site()->id, "$path/larder/" . User::site()->id]))->mustRun();
        self::assertTrue($php()->run($open));
    }

    /** With the file that the packages contain, for the folder of this test instead of /dev/shm. */
    private function provide(): void
    {
        $lines = (string) file_get_contents(Repository::ROOT . '/extension/packaging/tmpfiles.conf');
        self::assertStringContainsString((string) strstr($lines, "\nd "), (string) file_get_contents(Repository::ROOT . '/docs/operate.md'), 'the page shows the same lines');
        $program = new Process(['systemd-tmpfiles', '--create', $this->sandbox->write('larder.conf', str_replace('/dev/shm/', $this->sandbox->memory . '/', $lines))]);
        if ($program->run() === 127) {
            preg_match_all('/^d (\S+) +(\d+) (\S+)/m', $lines, $folders, \PREG_SET_ORDER);
            foreach ($folders as [, $path, $mode, $user]) {
                (new Process(['install', '-d', '-m', $mode, '-o', $user, str_replace('/dev/shm/', $this->sandbox->memory . '/', $path)]))->mustRun();
            }
        }
        self::assertDirectoryExists($this->sandbox->memory . '/larder/' . User::site()->id, $program->getErrorOutput());
    }
}
