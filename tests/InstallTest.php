<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Server\PhpFpmServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Finder\Finder;
use Symfony\Component\Process\Process;

/** The packages as other people get them: required into a project that has nothing but them. */
final class InstallTest extends TestCase
{
    private static ?EmptyProject $library = null;
    private static ?EmptyProject $tool = null;

    public static function tearDownAfterClass(): void
    {
        self::$library = self::$tool = null;
    }

    /** The section "Install" of docs/getting-started.md, word by word: extension, php.ini, PHP-FPM, packages, command. */
    public function testDocumentedInstallationFromACloneWorks(): void
    {
        $project = new EmptyProject(published: false);
        $page = explode("\n## ", (string) file_get_contents(Repository::ROOT . '/docs/getting-started.md'));
        $install = array_values(array_filter($page, static fn(string $section): bool => str_starts_with($section, "Install\n")))[0] ?? '';
        $clone = self::cloneWithoutVendor("$project->folder/clone");
        // Files that are installed go below a folder of this test; its PHP looks there for extensions.
        $root = "$project->folder/root";
        $extensions = "$root/" . \ini_get('extension_dir');
        $files = new Filesystem();
        foreach (Finder::create()->files()->in((string) \ini_get('extension_dir'))->name('*.so')->notName('larder.so') as $file) {
            $files->symlink($file->getPathname(), "$extensions/{$file->getFilename()}");
        }
        $memory = $files->tempnam('/dev/shm', 'larder-install-');
        $files->remove($memory);
        $files->mkdir($memory);
        $files->dumpFile("$root/conf.d/larder.ini", "extension_dir=$extensions\nextension=larder\nlarder.path=$memory\n");
        self::assertStringContainsString("```ini\nextension=larder\n```", $install);
        $commands = str_replace(
            ['sudo ', '/opt/larder', '/srv/shop'],
            ['', $clone, $project->folder],
            array_filter(Page::parse('Install', $install)->commands(), static fn(string $command): bool => !str_contains($command, 'systemctl')),
        );
        $shell = new Process(
            ['sh', '-e', '-c', implode("\n", $commands)],
            $project->folder,
            ['INSTALL_ROOT' => $root, 'PHP_INI_SCAN_DIR' => ":$root/conf.d"] + EmptyProject::environment($project->folder),
            timeout: 300,
        );

        try {
            self::assertSame(0, $shell->run(), $shell->getOutput() . $shell->getErrorOutput());
        } finally {
            $files->remove($memory);
        }
        self::assertStringContainsString('larder.segment => ', $shell->getOutput(), 'what php --ri says');
        self::assertMatchesRegularExpression('/^ +larder +yes/m', $shell->getOutput(), 'what the doctor says');
        self::assertTrue(is_link("$project->folder/vendor/larder/larder"), 'linked, so it follows the clone');
        $this->assertFpmLoadsTheEngine("$project->folder/fpm", $extensions);
    }

    public function testDocumentedNewProjectCanBeMade(): void
    {
        $page = (string) file_get_contents(Repository::ROOT . '/docs/getting-started.md');
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

    /** Test code is not installed, and nothing needs it. */
    public function testEveryClassLoads(): void
    {
        $library = self::library();
        $code = '';
        foreach (self::classes("$library->folder/vendor/larder/larder/src") as $class) {
            // These extend what only those have who use them.
            if (!str_starts_with($class, 'Larder\\Bridge\\') && !\in_array($class, ['Larder\\Http\\ResponseCache', 'Larder\\Psr\\TaggableItem', 'Larder\\Psr\\TaggablePool'], true)) {
                $code .= "class_exists('$class') || interface_exists('$class') || trait_exists('$class') || print('$class is not there');";
            }
        }

        self::assertNotSame('', $code);
        self::assertSame('', $library->php($code));
        self::assertSame([], glob("$library->folder/vendor/larder/larder/tests"));
        self::assertFileExists("$library->folder/vendor/larder/larder/LICENSE");
    }

    /** Each adapter needs the contracts of its framework, and nothing else of it. */
    public function testAdaptersNeedOnlyTheContracts(): void
    {
        $project = new EmptyProject();
        $project->require('larder/larder');
        $laravel = 'echo (new Larder\\Bridge\\LaravelStore(Larder\\Cache::open("array:")))->increment("n");';
        $symfony = 'echo (new Larder\\Bridge\\SymfonyCache(Larder\\Cache::open("array:")))->get("key", fn() => "computed");';
        foreach ([['illuminate/contracts', $laravel, '1'], ['symfony/cache-contracts', $symfony, 'computed']] as [$package, $code, $printed]) {
            $without = $project->run([\PHP_BINARY, '-r', "require 'vendor/autoload.php'; $code"]);
            self::assertNotSame(0, $without->run(), 'control: it works without its contracts');
            $project->require($package);
            self::assertSame($printed, $project->php($code));
        }
    }

    /** Applications ask function_exists() whether there is a cache. */
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
        self::assertMatchesRegularExpression('/^file/m', $compare->getOutput());
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
        // PHPStan itself is no dependency of the project: it only has to be somewhere.
        $analysis = $project->run([\PHP_BINARY, Repository::ROOT . '/vendor/bin/phpstan', 'analyse', '--no-progress', '--memory-limit=512M', '--configuration=phpstan.neon']);

        self::assertSame($knows ? 0 : 1, $analysis->run(), $analysis->getOutput() . $analysis->getErrorOutput());
        if (!$knows) {
            self::assertStringContainsString('Function larder_increment not found', $analysis->getOutput());
        }
    }

    /** Whose vendor folder, if anything loaded it, would end the process. */
    private static function cloneWithoutVendor(string $folder): string
    {
        $files = new Filesystem();
        $tracked = Repository::process(['git', 'ls-files', '-z', 'library', 'cli', 'extension'])->mustRun()->getOutput();
        foreach (explode("\0", rtrim($tracked, "\0")) as $file) {
            if (file_exists(Repository::ROOT . "/$file")) {
                $files->copy(Repository::ROOT . "/$file", "$folder/$file");
                chmod("$folder/$file", (int) fileperms(Repository::ROOT . "/$file") & 0o777);
            }
        }
        $files->dumpFile("$folder/vendor/autoload.php", "<?php exit('the vendor folder of the clone was loaded');");

        return $folder;
    }

    private function assertFpmLoadsTheEngine(string $folder, string $extensions): void
    {
        (new Filesystem())->dumpFile("$folder/page.php", '<?php echo ini_get("larder.segment");');
        $fpm = PhpFpmServer::start($folder, ['extension_dir' => $extensions, 'larder.segment' => 'installed'], ['larder']);
        try {
            self::assertSame('installed', $fpm->request("$folder/page.php")->body);
        } finally {
            $fpm->stop();
        }
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

    /** @return list<string> the classes under a folder, by PSR-4 */
    private static function classes(string $folder): array
    {
        $classes = [];
        foreach (Finder::create()->files()->in($folder)->name('*.php') as $file) {
            $classes[] = 'Larder\\' . strtr(substr($file->getRelativePathname(), 0, -4), '/', '\\');
        }

        return $classes;
    }
}
