<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\Cli\Server\RedisServer;
use Larder\Internal\Driver\Connection;
use Larder\WordPress\Plugin\DropIn;
use Larder\WordPress\Plugin\DropInState;
use Larder\WordPress\Plugin\Part;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** The zip that wordpress/build makes. */
final class BuildTest extends TestCase
{
    private const ROOT = __DIR__ . '/../..';

    /** What must come after the guard of a file. */
    private const STARTS = [
        \T_CLASS, \T_INTERFACE, \T_TRAIT, \T_ENUM, \T_FUNCTION, \T_REQUIRE, \T_REQUIRE_ONCE, \T_INCLUDE, \T_ECHO,
    ];

    private static string $folder;

    public static function setUpBeforeClass(): void
    {
        $files = new Filesystem();
        $files->remove(self::$folder = $files->tempnam(sys_get_temp_dir(), 'larder-zip-'));
        $files->mkdir(self::$folder);
        foreach (['one', 'two'] as $name) {
            (new Process([self::ROOT . '/wordpress/build', self::$folder . "/$name.zip"]))->mustRun();
        }
        $zip = new \ZipArchive();
        self::assertTrue($zip->open(self::$folder . '/one.zip'));
        $zip->extractTo(self::$folder);
        $zip->close();
    }

    public static function tearDownAfterClass(): void
    {
        (new Filesystem())->remove(self::$folder);
    }

    public function testSameFilesGiveTheSameBytes(): void
    {
        self::assertFileEquals(self::$folder . '/one.zip', self::$folder . '/two.zip');
    }

    public function testContainsWhatIsListedAndNothingElse(): void
    {
        $bundled = file(self::ROOT . '/wordpress/bundled.txt', \FILE_IGNORE_NEW_LINES);
        self::assertIsArray($bundled);
        self::assertNotContains('Larder/Internal/Driver/MySql/*.php', $bundled);
        $own = array_keys(iterator_to_array(self::phpFiles(self::ROOT . '/wordpress/src')));
        $expected = [
            'NOTICES.txt', 'advanced-cache.php', 'autoload.php', 'larder.php', 'license.txt', 'object-cache.php',
            'readme.txt', 'uninstall.php',
            ...array_map(static fn(string $file): string => "src/$file", $own),
        ];
        $zip = new \ZipArchive();
        $zip->open(self::$folder . '/one.zip');
        $names = $folders = [];
        for ($i = 0; $i < $zip->numFiles; ++$i) {
            $name = substr((string) $zip->getNameIndex($i), \strlen('larder/'));
            if (str_starts_with($name, 'library/')) {
                $folders[\dirname(substr($name, \strlen('library/'))) . '/*.php'] = true;
            } else {
                $names[] = $name;
            }
        }
        self::assertSame($bundled, array_keys($folders));
        sort($expected);
        sort($names);
        self::assertSame($expected, $names);
        self::assertSame([], preg_grep('~(^|/)\.|\.md$~', $names), 'no hidden files, no pages of the repository');
    }

    public function testHasTheVersionOfTheRepository(): void
    {
        $version = static fn(string $file, string $pattern): string
            => preg_match($pattern, (string) file_get_contents($file), $match) === 1 ? $match[1] : $file;
        $expected = $version(self::ROOT . '/extension/php/php_larder.h', '~LARDER_VERSION "([\d.]+)~');
        self::assertSame($expected, $version(self::ROOT . '/wordpress/larder.php', '~^ \* Version: (.+)$~m'));
        self::assertSame($expected, $version(self::ROOT . '/wordpress/readme.txt', '~^Stable tag: (.+)$~m'));
    }

    public function testEachFileParsesAndIsGuarded(): void
    {
        $count = 0;
        foreach (self::phpFiles(self::$folder . '/larder') as $name => $path) {
            $tokens = \PhpToken::tokenize((string) file_get_contents($path), \TOKEN_PARSE);
            $before = '';
            foreach ($tokens as $token) {
                if ($token->is(self::STARTS)) {
                    break;
                }
                $before .= $token->isIgnorable() ? ' ' : $token->text;
            }
            self::assertMatchesRegularExpression(
                "~[ ;}]\\\\?defined\\('(ABSPATH|WP_UNINSTALL_PLUGIN)'\\) \\|\\| exit;~",
                $before,
                "$name does something before its guard",
            );
            ++$count;
        }
        self::assertGreaterThan(100, $count);
    }

    /** Loads each class of the zip, in a process that knows no other ones. */
    public function testDeclaresOnlyPrefixedClasses(): void
    {
        $code = <<<'PHP'
            define('ABSPATH', '/');
            require 'autoload.php';
            $before = array_merge(get_declared_classes(), get_declared_interfaces(), get_declared_traits());
            $classes = [];
            foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $class) {
                if (!class_exists($class) && !interface_exists($class) && !trait_exists($class)) {
                    echo "$class is missing\n";
                }
            }
            $after = array_merge(get_declared_classes(), get_declared_interfaces(), get_declared_traits());
            foreach (array_diff($after, $before) as $class) {
                if (!str_starts_with($class, 'Larder\\WordPress\\') && !str_contains($class, '@anonymous')) {
                    echo "$class is not prefixed\n";
                }
            }
            echo count($after) - count($before), "\n";
            PHP;
        $classes = '';
        foreach (self::phpFiles(self::$folder . '/larder') as $name => $path) {
            $declaration = '~^\s*(?:abstract |final |readonly )*(?:class|interface|trait|enum) \w~m';
            if (preg_match($declaration, (string) file_get_contents($path)) === 1) {
                $class = preg_replace(['~^library/~', '~^src/~', '~\.php$~'], ['Vendor/', '', ''], $name);
                $classes .= 'Larder\\WordPress\\' . strtr((string) $class, '/', '\\') . "\n";
            }
        }
        $said = $this->php($code, $classes);
        self::assertMatchesRegularExpression('~\A\d+\n\z~', $said);
        self::assertGreaterThanOrEqual(substr_count($classes, "\n"), (int) $said);
    }

    public function testControlOfTheTestOfPrefixes(): void
    {
        $code = "echo (int) class_exists('Larder\\\\Cache'), (int) interface_exists('Psr\\\\Log\\\\LoggerInterface');";
        $unprefixed = "require '" . self::ROOT . "/vendor/autoload.php';";
        self::assertSame(['00', '11'], [$this->php($code), $this->php($unprefixed . $code)]);
    }

    public function testKeepsValuesInTheStoreOfTheDsn(): void
    {
        $redis = RedisServer::start(self::$folder . '/redis');
        try {
            $code = <<<'PHP'
                define('ABSPATH', '/');
                define('LARDER_DSN', trim(stream_get_contents(STDIN)));
                require 'src/Backend.php';
                $backend = Larder\WordPress\Backend::open() ?? exit(Larder\WordPress\Backend::reason());
                $backend->set('name', ['a' => new ArrayObject([1])], 60);
                $backend->set('count', 1);
                $backend->swap('count', 1, 2);
                echo $backend->title(), ' ', json_encode($backend->get('name')), ' ', $backend->get('count');
                PHP;
            $dsn = 'redis://' . $redis->location(Connection::Socket);
            self::assertSame('LARDER_DSN (redis) {"a":{"0":1}} 2', $this->php($code, $dsn));
        } finally {
            $redis->stop();
        }
    }

    /** The plugin recognizes its own drop-ins in later versions. */
    public function testDropInsAreRecognized(): void
    {
        foreach (Part::cases() as $part) {
            $template = self::ROOT . '/wordpress/' . $part->file();
            $path = self::$folder . '/' . $part->file();
            file_put_contents($path, file_get_contents($template) . "\n// of another version\n");
            self::assertSame(DropInState::Outdated, (new DropIn($template, $path))->state());

        }
    }

    /** @return \Generator<string, string> path by name in the folder */
    private static function phpFiles(string $folder): \Generator
    {
        $files = new \RecursiveDirectoryIterator($folder, \FilesystemIterator::SKIP_DOTS);
        foreach (new \RecursiveIteratorIterator($files) as $file) {
            if ($file instanceof \SplFileInfo && $file->getExtension() === 'php') {
                yield substr($file->getPathname(), \strlen($folder) + 1) => $file->getPathname();
            }
        }
    }

    private function php(string $code, string $input = ''): string
    {
        $command = [\PHP_BINARY, '-d', 'display_errors=1', '-r', $code];
        $php = new Process($command, self::$folder . '/larder', input: $input);
        $php->run();

        return $php->getOutput() . $php->getErrorOutput();
    }
}
