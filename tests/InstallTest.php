<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Finder\Finder;
use Symfony\Component\Process\Process;

/** Requires the packages into a project that has nothing else. */
final class InstallTest extends TestCase
{
    private static ?EmptyProject $library = null;
    private static ?EmptyProject $tool = null;

    public static function tearDownAfterClass(): void
    {
        self::$library = self::$tool = null;
    }

    /** The section "Install" of docs/start.md, word for word: engine, packages, command. */
    public function testDocumentedInstallationFromACloneWorks(): void
    {
        $project = new EmptyProject(published: false);
        $page = explode("\n## ", (string) file_get_contents(Repository::ROOT . '/docs/start.md'));
        $install = array_filter($page, static fn(string $section): bool => str_starts_with($section, "Install\n"));
        $clone = self::cloneWithoutVendor("$project->folder/clone");
        $php = new PrivatePhp(loadsExtensions: true);
        $commands = str_replace(
            ['sudo ', 'make -C /opt/larder', '/opt/larder', '/srv/shop'],
            ['', 'make -C ' . realpath(Repository::ROOT), $clone, $project->folder],
            Page::parse('Install', implode($install))->commands(),
        );
        $shell = new Process(
            ['sh', '-e', '-c', implode("\n", $commands)],
            $project->folder,
            $php->environment() + EmptyProject::environment($project->folder),
            timeout: 1200,
        );

        self::assertSame(0, $shell->run(), $shell->getOutput() . $shell->getErrorOutput());
        self::assertStringContainsString('PHP-FPM and the shell see one cache', $shell->getOutput());
        self::assertMatchesRegularExpression('/^ +larder +yes/m', $shell->getOutput(), 'what the doctor says');
        self::assertTrue(is_link("$project->folder/vendor/larder/larder"), 'linked, so it follows the clone');
    }

    public function testInstallationIsRenewedAndUndone(): void
    {
        $php = new PrivatePhp();
        $php->write('conf.d/apcu.ini', "; of APCu\nextension=apcu.so\napc.shm_size=48M\n");
        $before = $php->state();

        $install = $php->make('install');
        self::assertPrints('new ', $install);
        self::assertPrints('To use it: docs/start.md.', $install);
        $loaded = $php->run('echo larder_store("key", 1), (new ReflectionExtension("apcu"))->getVersion();');
        self::assertStringStartsWith('15.1.', $loaded->mustRun()->getOutput());
        self::assertSame($before['apcu.ini'], $php->state()['apcu.ini'], 'APCu stays');
        self::assertPrints('Nothing has changed.', $php->make('install'));

        self::assertPrints("conf.d/apcu.ini.off now\n", $php->make('install', 'WITH=apcu'));
        $module = 'ob_start(); (new ReflectionExtension("apcu"))->info(); $info = ob_get_clean();'
            . 'echo str_contains($info, "Engine => Larder"), ini_get("apc.shm_size");';
        self::assertSame('148M', $php->run($module)->mustRun()->getOutput());
        $php->write('conf.d/larder.ini', $php->state()['larder.ini'] . "larder.size=99M\n");
        self::assertPrints('Nothing has changed.', $php->make('install'));
        self::assertSame('99M', $php->run('echo ini_get("larder.size");')->mustRun()->getOutput());

        self::assertPrints('APCu is on again', $php->make('uninstall'));
        self::assertSame($before, $php->state());
        self::assertPrints('Nothing has changed.', $php->make('uninstall'));
    }

    public function testDisabledFunctionsAndAnotherFolderOfIniFilesAreNoRiddle(): void
    {
        $php = new PrivatePhp();
        $php->write('conf.d/host.ini', "disable_functions=implode,array_filter,dirname,file_put_contents\n");
        self::assertPrints('the shell', $php->make('install'));

        rename("$php->folder/conf.d/larder.ini", "$php->folder/larder.ini");
        self::assertStringContainsString('Set PHP_INI_SCAN_DIR as for make install.', $php->make('uninstall')->getErrorOutput());
        rename("$php->folder/larder.ini", "$php->folder/conf.d/larder.ini");
        self::assertPrints('larder.so', $php->make('uninstall'));
    }

    public function testPackagersInstallIntoAFolder(): void
    {
        $php = new PrivatePhp();
        $php->write('conf.d/apcu.ini', 'extension=apcu');
        $before = $php->state();
        $target = "$php->folder/target";

        self::assertPrints('new ', $php->make('install', 'WITH=apcu', "DESTDIR=$target"));
        self::assertSame($before, $php->state());
        foreach (['extensions/larder.so', 'extensions/larder_apcu.so', 'conf.d/larder.ini'] as $file) {
            self::assertFileExists("$target$php->folder/$file");
        }

        $environment = ['PHP' => \PHP_BINARY, 'PHP_INI_SCAN_DIR' => false, 'PHPRC' => false];
        self::assertPrints('new ', Repository::process(['make', 'install', "DESTDIR=$target"], $environment, 900));
        $debian = '/etc/php/' . \PHP_MAJOR_VERSION . '.' . \PHP_MINOR_VERSION . '/mods-available/larder.ini';
        self::assertStringContainsString("\nextension=larder\n", (string) file_get_contents($target . $debian));
    }

    /** The control is what cp does, like phpize's make install. */
    public function testRunningPhpSurvivesAnUpdate(): void
    {
        $php = new PrivatePhp();
        self::assertPrints('new ', $php->make('install'));
        $code = 'for (;;) { larder_store("key", [1]); echo larder_fetch("key")[0], "\n"; usleep(20000); }';
        $running = $php->run($code);
        $running->start();
        $library = "$php->folder/extensions/larder.so";

        try {
            self::waitForOutput($running);
            file_put_contents($library, 'another build', \FILE_APPEND);
            $update = $php->make('install');
            self::assertPrints("replaced $library", $update);
            self::assertStringContainsString("process {$running->getPid()}: ", $update->getOutput(), 'to be restarted');
            self::waitForOutput($running);

            copy("$library", "$library.copy");
            $control = $php->run($code);
            $control->start();
            self::waitForOutput($control);
            (new Process(['cp', "$library.copy", $library]))->mustRun();
            while ($control->isRunning()) {
                usleep(10_000);
            }
            self::assertTrue($control->hasBeenSignaled(), 'control: written over by cp');
        } finally {
            $running->stop(0);
        }
    }

    /** @return iterable<string, array{\Closure(PrivatePhp): mixed, list<string>, string}> */
    public static function machines(): iterable
    {
        $facts = static fn(string $facts): string => "#!/bin/sh\nprintf '\\n%s' $facts /nowhere /nowhere\n";
        $write = static fn(string $file, string $content): \Closure
            => static fn(PrivatePhp $php) => $php->write($file, $content);
        $remove = static fn(string $file): \Closure => static fn(PrivatePhp $php) => $php->remove($file);
        $nothing = static fn() => null;
        $broken = "#!/bin/sh\necho no memory\nexit 1\n";
        yield 'no such PHP' => [$remove('bin/php'), [], 'there is no command '];
        yield 'no folder of a PHP' => [$remove('bin'), [], 'there is no command '];
        yield 'an old PHP' => [$write('bin/php', $facts('7.4.33 70433 8')), [], 'PHP 7.4.33 is too old: 8.2 or newer'];
        yield 'a 32-bit PHP' => [$write('bin/php', $facts('8.2.0 80200 4')), [], 'a 32-bit program'];
        yield 'no headers' => [$remove('bin/phpize'), [], 'its headers are missing. Install it: '];
        yield 'no compiler' => [$nothing, ['CC=/nowhere/cc'], 'there is no working C compiler. Install it: '];
        yield 'another module' => [$nothing, ['WITH=yac'], 'WITH=yac is not known'];
        yield 'a folder in the place of a file' => [$write('extensions/larder.so/file', ''), [], 'larder.so is a folder'];
        yield 'an FPM that does not start' => [$write('sbin/php-fpm', $broken), [], 'does not start: no memory'];
        yield 'APCu beside others' => [
            $write('conf.d/all.ini', "extension=apcu\nextension=igbinary\n"), ['WITH=apcu'], 'Remove its line extension=apcu',
        ];
        yield 'loaded twice' => [$write('conf.d/z.ini', 'extension=larder'), [], 'Module "larder" is already loaded'];
    }

    /**
     * @param \Closure(PrivatePhp): mixed $prepare
     * @param list<string> $variables
     */
    #[DataProvider('machines')]
    public function testNothingIsChangedOnFailure(\Closure $prepare, array $variables, string $message): void
    {
        $php = new PrivatePhp();
        $prepare($php);
        foreach (['php', 'php-fpm'] as $program) {
            @chmod("$php->folder/" . ($program === 'php' ? 'bin' : 'sbin') . "/$program", 0o755);
        }
        $before = $php->state();

        $make = $php->make('install', ...$variables);

        self::assertNotSame(0, $make->getExitCode());
        self::assertStringContainsString($message, $make->getErrorOutput());
        self::assertSame($before, $php->state());
    }

    public function testDocumentedNewProjectCanBeMade(): void
    {
        $page = (string) file_get_contents(Repository::ROOT . '/docs/start.md');
        self::assertSame(1, preg_match('/In a new folder, run `([^`]+)`/', $page, $command));
        $project = new EmptyProject(published: false);
        $folder = "$project->folder/new";
        (new Filesystem())->mkdir($folder);
        $init = Process::fromShellCommandline($command[1], $folder, EmptyProject::environment($folder));
        self::assertSame(0, $init->run(), $init->getErrorOutput());
        self::assertFileExists("$folder/composer.json");
    }

    public function testLibraryWorks(): void
    {
        $printed = self::library()->php(<<<'PHP'
            $cache = Larder\Cache::open('file://' . getcwd() . '/cache');
            $cache->set('key', ['value']);
            echo json_encode($cache->get('key'));
            echo (new Larder\Psr\SimpleCache($cache))->get('key')[0];
            PHP);

        self::assertSame('["value"]value', $printed);
    }

    /** Test code is not installed, and no class needs it. */
    public function testEveryClassLoads(): void
    {
        $library = self::library();
        $code = '';
        foreach (self::classes("$library->folder/vendor/larder/larder/src") as $class) {
            // Their parents come from packages that only some users install.
            if (!\in_array($class, ['Larder\\Http\\ResponseCache', 'Larder\\Internal\\Http\\WatchedHandler', 'Larder\\Psr\\TaggableItem', 'Larder\\Psr\\TaggablePool'], true)) {
                $code .= "class_exists('$class') || interface_exists('$class') || trait_exists('$class') || print('$class is not there');";
            }
        }

        self::assertNotSame('', $code);
        self::assertSame('', $library->php($code));
        self::assertSame([], glob("$library->folder/vendor/larder/larder/tests"));
        self::assertFileExists("$library->folder/vendor/larder/larder/LICENSE");
    }

    /** The bundle brings all that its adapter needs; symfony/lock is for those that lock. */
    public function testBundleIsInstalled(): void
    {
        $project = new EmptyProject();
        $project->require('larder/symfony');
        self::assertSame('computed', $project->php(<<<'PHP'
            new Larder\Symfony\LarderSymfonyBundle();
            echo (new Larder\Symfony\Adapter('array:', 'shop'))->get('key', fn() => 'computed');
            PHP));
        self::assertSame([], glob("$project->folder/vendor/larder/symfony/tests"));
    }

    /** Into a new application, which takes only stable packages unless a line names others. */
    public function testDocumentedInstallationOfTheBundleWorks(): void
    {
        $project = new EmptyProject(published: false);
        $commands = str_replace(
            ['/opt/larder', ' require '],
            [(string) realpath(Repository::ROOT), ' require --dry-run '],
            Page::read('docs/symfony.md')->commands(),
        );
        $shell = $project->run(['sh', '-e', '-c', implode("\n", $commands)]);

        self::assertSame(0, $shell->run(), $shell->getErrorOutput());
        self::assertStringContainsString('Installing larder/symfony', $shell->getErrorOutput());
    }

    /** Applications call function_exists() to find a cache. */
    public function testOlderFunctionsComeWithTheEngineOrItsPolyfill(): void
    {
        $project = new EmptyProject();
        $project->require('larder/legacy');
        $code = 'echo json_encode([function_exists("apc_store"), function_exists("xcache_set"), function_exists("eaccelerator_put"), class_exists("APCIterator"), function_exists("apc_store") ? apc_store("a", 5) && xcache_set("a", 6) && eaccelerator_put("a", 7, 0, 2) : null,
            function_exists("apc_store") ? [apc_inc("a"), xcache_inc("a"), eaccelerator_get("a", 2)] : null]);';

        self::assertSame('[false,false,false,false,null,null]', $project->php($code));
        $memory = '/dev/shm/larder-install-' . bin2hex(random_bytes(4));
        (new Filesystem())->mkdir($memory, 0o700);

        try {
            $process = $project->run([\PHP_BINARY, '-d', 'extension=' . realpath(Repository::ROOT) . '/extension/modules/larder.so', '-d', "larder.path=$memory", '-r', "require 'vendor/autoload.php'; $code"]);
            self::assertSame('[true,true,true,true,true,[6,7,7]]', $process->mustRun()->getOutput());
        } finally {
            (new Filesystem())->remove($memory);
        }
        $project->require('larder/polyfill');
        self::assertSame('[true,true,true,true,true,[6,7,7]]', $project->php($code));
    }

    public function testDoctorReportsAvailableStores(): void
    {
        $doctor = self::tool()->run(['vendor/bin/larder', 'doctor']);
        $doctor->run();

        self::assertStringContainsString('auto:', $doctor->getOutput(), $doctor->getErrorOutput());
        self::assertSame('', $doctor->getErrorOutput());
    }

    public function testCompareRuns(): void
    {
        $compare = self::tool()->run(['vendor/bin/larder', 'compare', '--quick', '--stores', 'array,file', '--values', '10b', '--no-servers', '--json', 'figures.json']);
        $compare->run();

        self::assertSame(0, $compare->getExitCode(), $compare->getOutput() . $compare->getErrorOutput());
        self::assertMatchesRegularExpression('/^  files /m', $compare->getOutput());
        self::assertFileExists(self::tool()->folder . '/figures.json');
    }

    /** @return iterable<string, array{string, bool}> */
    public static function analyses(): iterable
    {
        yield 'with the stubs' => ["includes: [vendor/larder/larder/extension.neon]\n", true];
        yield 'control: without them' => ['', false];
    }

    #[DataProvider('analyses')]
    public function testStaticAnalysisKnowsTheEngine(string $includes, bool $knows): void
    {
        $project = self::library();
        if ($project->run([\PHP_BINARY, '-r', 'exit((int) !extension_loaded("larder"));'])->run() === 0) {
            self::markTestSkipped('php.ini loads the engine, so PHPStan knows it anyway');
        }
        $files = new Filesystem();
        $files->dumpFile("$project->folder/src/page.php", "<?php\n\$sum = larder_increment('visits') ?: 0;\nlarder_store('sum', \$sum + 1);\n");
        $files->dumpFile("$project->folder/phpstan.neon", "{$includes}parameters:\n  level: max\n  paths: [src]\n  tmpDir: tmp\n");
        // PHPStan is no dependency of the project; any copy works.
        $analysis = $project->run([\PHP_BINARY, Repository::ROOT . '/vendor/bin/phpstan', 'analyse', '--no-progress', '--memory-limit=512M', '--configuration=phpstan.neon']);

        self::assertSame($knows ? 0 : 1, $analysis->run(), $analysis->getOutput() . $analysis->getErrorOutput());
        if (!$knows) {
            self::assertStringContainsString('Function larder_increment not found', $analysis->getOutput());
        }
    }

    /** A clone whose vendor folder would end the process if anything loaded it. */
    private static function cloneWithoutVendor(string $folder): string
    {
        $files = new Filesystem();
        $tracked = Repository::process(['git', 'ls-files', '-z', 'library', 'cli'])->mustRun()->getOutput();
        foreach (explode("\0", rtrim($tracked, "\0")) as $file) {
            if (file_exists(Repository::ROOT . "/$file")) {
                $files->copy(Repository::ROOT . "/$file", "$folder/$file");
                chmod("$folder/$file", (int) fileperms(Repository::ROOT . "/$file") & 0o777);
            }
        }
        $files->dumpFile("$folder/vendor/autoload.php", "<?php exit('the vendor folder of the clone was loaded');");

        return $folder;
    }

    private static function assertPrints(string $text, Process $make): void
    {
        if (!$make->isStarted()) {
            $make->run();
        }
        self::assertSame(0, $make->getExitCode(), $make->getOutput() . $make->getErrorOutput());
        self::assertStringContainsString($text, $make->getOutput());
        self::assertSame('', $make->getErrorOutput());
    }

    private static function waitForOutput(Process $process): void
    {
        $process->clearOutput();
        self::assertTrue($process->waitUntil(static fn(): bool => true), 'it has ended: ' . $process->getErrorOutput());
    }

    private static function library(): EmptyProject
    {
        if (self::$library === null) {
            self::$library = new EmptyProject();
            self::$library->require('larder/larder');
        }

        return self::$library;
    }

    private static function tool(): EmptyProject
    {
        if (self::$tool === null) {
            self::$tool = new EmptyProject();
            self::$tool->require('larder/cli', ['--dev']);
        }

        return self::$tool;
    }

    /** @return list<string> classes in a folder, by PSR-4 */
    private static function classes(string $folder): array
    {
        $classes = [];
        foreach (Finder::create()->files()->in($folder)->name('*.php') as $file) {
            $classes[] = 'Larder\\' . strtr(substr($file->getRelativePathname(), 0, -4), '/', '\\');
        }

        return $classes;
    }
}
