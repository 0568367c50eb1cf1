<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests\PageCache;

use Larder\Cli\System\TemporaryDirectory;
use Larder\WordPress\PageCache\PageCache;
use Larder\WordPress\PageCache\Purge;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

require_once __DIR__ . '/../functions.php';

/** Pages that wp-config.php serves before WordPress loads. lab/page-cache runs all its cases so, too. */
final class EarlyTest extends TestCase
{
    private const PLUGIN = __DIR__ . '/../..';
    private const SERVER = ['REQUEST_METHOD' => 'GET', 'HTTP_HOST' => 'early.example', 'REQUEST_URI' => '/', 'QUERY_STRING' => ''];

    /** @return iterable<string, array{string, string, string}> what is printed, code before, a file and its contents */
    public static function sites(): iterable
    {
        yield 'a visitor' => ['page', '', ''];
        yield 'a login' => ['WordPress', "\$_COOKIE['wordpress_logged_in_1'] = 'ada';", ''];
        yield 'another page' => ['WordPress', "\$_SERVER['REQUEST_URI'] = '/other/';", ''];
        yield 'the administration' => ['WordPress', 'const WP_USE_THEMES = false;', ''];
        yield 'the page cache is off' => ['WordPress', 'const WP_CACHE = false;', ''];
        yield 'its drop-in is away' => ['WordPress', "unlink('wp-content/advanced-cache.php');", ''];
        yield 'another plugin has its place' => ['WordPress', "file_put_contents('wp-content/advanced-cache.php', '<?php // Another');", ''];
        yield 'the site is being updated' => ['WordPress', '', '.maintenance'];
        $begin = "const WPINC = '', WP_USE_THEMES = true; define('ABSPATH', __DIR__ . '/'); ";
        yield 'in WordPress, a database without a name' => ['WordPress', $begin . "\$_SERVER['REQUEST_METHOD'] = 'HEAD';"
            . " include 'wp-content/advanced-cache.php'; exit('WordPress');", ''];
        yield 'in WordPress, files that an update has not written' => ['WordPress', $begin . 'mkdir("half");'
            . " copy('wp-content/plugins/larder/src/PageCache/PageCache.php', 'half/PageCache.php');"
            . " include 'half/PageCache.php'; Larder\\WordPress\\PageCache\\PageCache::serve(); exit('WordPress');", ''];
        yield 'a line too far above' => ['WordPress', "const DB_NAME = 'not yet';", ''];
    }

    #[DataProvider('sites')]
    public function testServesBeforeWordPress(string $expected, string $code, string $file): void
    {
        foreach (['DB_HOST', 'DB_NAME'] as $name) {
            \defined($name) || \define($name, 'larder');
        }
        $keys = Purge::keys(['all']);
        larder_store(PageCache::key(self::SERVER, '/'), [
            'body' => 'page', 'headers' => [], 'etag' => '"1"', 'modified' => '', 'time' => time(),
            'generation' => Purge::generation(), 'keys' => $keys, 'versions' => Purge::versions($keys),
        ], 60);
        $folder = new TemporaryDirectory();
        $files = new Filesystem();
        $files->symlink((string) realpath(self::PLUGIN), "$folder->path/wp-content/plugins/larder");
        $files->copy(self::PLUGIN . '/advanced-cache.php', "$folder->path/wp-content/advanced-cache.php");
        if ($file !== '') {
            $files->touch("$folder->path/$file");
        }
        $include = "include ABSPATH . 'wp-content/plugins/larder/advanced-cache.php';";
        $files->dumpFile("$folder->path/index.php", '<?php $_SERVER = ' . var_export(self::SERVER, true) . "; $code"
            . " foreach (['DB_HOST' => '" . DB_HOST . "', 'DB_NAME' => '" . DB_NAME . "', 'WP_USE_THEMES' => true,"
            . " 'WP_CACHE' => true, 'ABSPATH' => __DIR__ . '/'] as \$name => \$value) {"
            . " defined(\$name) || define(\$name, \$value); } $include echo 'WordPress';");
        $extension = 'extension=' . self::PLUGIN . '/../extension/modules/larder.so';
        $run = [\PHP_BINARY, '-d', $extension, '-d', 'larder.segment=' . \ini_get('larder.segment'), 'index.php'];
        $command = 'cd ' . escapeshellarg($folder->path) . ' && ' . implode(' ', array_map(escapeshellarg(...), $run));

        self::assertSame($expected, shell_exec("$command 2>&1"));
    }
}
