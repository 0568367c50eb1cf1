<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\Cli\System\TemporaryDirectory;
use Larder\WordPress\Plugin\Caches;
use Larder\WordPress\Plugin\Plugin;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

require_once __DIR__ . '/functions.php';
require_once __DIR__ . '/Database.php';

/** The file object-cache.php in a process that has no cache. */
final class DropInFileTest extends TestCase
{
    private const PLUGIN = __DIR__ . '/..';

    private Database $database;

    protected function setUp(): void
    {
        Calls::reset();
        $GLOBALS['wpdb'] = $this->database = new Database();
    }

    private function load(string $plugins): void
    {
        \define('WP_PLUGIN_DIR', $plugins);
        require self::PLUGIN . '/object-cache.php';
    }

    /** Each in a script of its own, because the classes would be there already. */
    #[DataProvider('files')]
    public function testHalfAPluginIsNone(string $file): void
    {
        $folder = new TemporaryDirectory();
        $files = new Filesystem();
        $files->mirror(self::PLUGIN . '/src', "$folder->path/larder/src");
        $code = 'require ' . var_export(__DIR__ . '/functions.php', true) . ';' . self::dropIn()
            . "echo function_exists('wp_cache_get') ? 'cache' : 'no cache';";
        self::assertSame('cache', self::script($folder, $code), 'control: the whole plugin');
        $files->remove("$folder->path/larder/src/$file.php");
        self::assertSame('no cache', self::script($folder, $code));
    }

    /** As page caches do in advanced-cache.php: of WordPress's functions, there are a few then. */
    public function testIsACacheBeforeWordPressIsLoaded(): void
    {
        $folder = new TemporaryDirectory();
        (new Filesystem())->mirror(self::PLUGIN . '/src', "$folder->path/larder/src");
        $code = "define('ABSPATH', '/'); function is_multisite() { return false; } function get_current_blog_id() { return 1; }"
            . 'function add_action() {} function add_filter() {}' . self::dropIn()
            . "wp_cache_init(); echo json_encode([wp_cache_add('jar', 1), wp_cache_add('jar', 2), wp_cache_get('jar')]);";
        self::assertSame('[true,false,1]', self::script($folder, $code));
    }

    private static function dropIn(): string
    {
        return "define('WP_PLUGIN_DIR', __DIR__); define('DB_HOST', __DIR__); define('DB_NAME', '');"
            . 'require ' . var_export(self::PLUGIN . '/object-cache.php', true) . ';';
    }

    private static function script(TemporaryDirectory $folder, string $code): string
    {
        file_put_contents("$folder->path/script.php", "<?php $code");
        $extension = 'extension=' . self::PLUGIN . '/../extension/modules/larder.so';
        $run = [\PHP_BINARY, '-d', $extension, '-d', 'larder.segment=' . \ini_get('larder.segment'), "$folder->path/script.php"];

        return (string) shell_exec(implode(' ', array_map(escapeshellarg(...), $run)) . ' 2>&1');
    }

    /** @return list<array{string}> */
    public static function files(): array
    {
        return [['Backend'], ['Backend/Engine'], ['ObjectCache/Options'], ['ObjectCache/functions']];
    }

    #[RunInSeparateProcess]
    public function testWritersChangeTheRowThatIsThere(): void
    {
        $this->load('/nowhere');
        Calls::fire('query', 'SELECT 1');
        self::assertSame(0, $this->database->countQueries());
        Calls::fire('query', 'DELETE FROM wp_posts');
        Calls::fire('query', 'DELETE FROM wp_posts');
        self::assertSame(1, $this->database->countQueries());
        self::assertNull($this->database->epoch(), 'and make none');
    }

    /** Else the caches that the web server has would stay full. */
    #[RunInSeparateProcess]
    public function testEmptyingTheCacheIsSeenByThoseWhoHaveIt(): void
    {
        $this->load('/nowhere');
        require_once __DIR__ . '/core.php';
        $this->database->setEpoch('100.5 0 owner');
        \define('DB_HOST', '');
        \define('DB_NAME', '');
        Caches::clear(true);
        self::assertStringEndsWith(' 0 owner', (string) $this->database->epoch());
        self::assertNotSame('100.5 0 owner', $this->database->epoch());
    }

    /** @param array<string, int> $statements with the number of epochs that are written until then */
    #[RunInSeparateProcess]
    #[DataProvider('transactions')]
    public function testATransactionLocksTheRowAtItsEndOnly(array $statements): void
    {
        $this->load('/nowhere');
        foreach ($statements as $statement => $count) {
            Calls::fire('query', $statement);
            self::assertSame($count, $this->database->countQueries(), $statement);
        }
    }

    /** @return list<array{array<string, int>}> */
    public static function transactions(): array
    {
        return [
            [['START TRANSACTION' => 1, 'DELETE FROM a' => 1, 'ROLLBACK TO b' => 1, 'COMMIT' => 2]],
            [['SET autocommit = 0' => 0, 'DELETE FROM a' => 0, 'COMMIT' => 1, 'DELETE FROM b' => 1, 'commit' => 2]],
            [['SET autocommit = 0' => 0, 'DELETE FROM a' => 0, 'SET autocommit = 1' => 1, 'COMMIT' => 1]],
            [['SET autocommit = 0' => 0, 'ROLLBACK' => 0, 'DELETE FROM a' => 0]],
            [['BEGIN' => 1, 'ROLLBACK' => 1, 'COMMIT' => 1]],
        ];
    }

    #[RunInSeparateProcess]
    #[DataProvider('places')]
    public function testThePluginDoesItWhileTheDropInIsAway(bool $isAway): void
    {
        if (!$isAway) {
            $this->load('/nowhere');
        }
        require_once __DIR__ . '/core.php';
        Plugin::register(self::PLUGIN . '/larder.php');
        $this->database->setEpoch('100.5 0 owner');
        Calls::fire('query', 'DELETE FROM wp_posts');
        self::assertSame(1, $this->database->countQueries());
        self::assertStringEndsWith(' 0 owner', (string) $this->database->epoch());
        self::assertNotSame('100.5 0 owner', $this->database->epoch());
    }

    /** @return list<array{bool}> */
    public static function places(): array
    {
        return [[true], [false]];
    }
}
