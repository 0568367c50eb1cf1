<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite;

use Larder\Cache;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Sqlite\Hostile\Bomb;
use Larder\Tests\OtherUser;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Root acts as www-data, who owns the cache, and as nobody, the attacker. */
final class SqliteTrustTest extends TestCase
{
    use AssertsThrows;

    private const VICTIM = 33;
    private const STRANGER = 65_534;

    private string $home;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It changes who files belong to, which takes root');
        }
        Bomb::$exploded = false;
        $this->home = Servers::directory('sqlite-trust-' . bin2hex(random_bytes(4)));
        chmod(\dirname($this->home), 0o711);
        chmod($this->home, 0o755);
        mkdir($this->home . '/cache', 0o700);
        chown($this->home . '/cache', self::VICTIM);
    }

    protected function tearDown(): void
    {
        posix_seteuid(0);
    }

    /**
     * @return iterable<string, array{string, string, string}> the folder's state, what is planted there, and the
     *         expected message
     */
    public static function plants(): iterable
    {
        yield 'a database of a stranger' => [
            'chmod 1777 cache',
            '',
            "file %s/cache/c.sqlite belongs to another user, nobody. *remove it: rm '%s/cache/c.sqlite'",
        ];
        yield 'a database that everybody can write' => [
            'true',
            'chown www-data cache/c.sqlite; chmod 666 cache/c.sqlite',
            "everybody can write the file %s/cache/c.sqlite. *remove it: rm '%s/cache/c.sqlite'",
        ];
        yield 'a log of a stranger' => [
            'true',
            'chown www-data cache/c.sqlite; chmod 600 cache/c.sqlite; touch cache/c.sqlite-wal; '
                . 'chown nobody cache/c.sqlite-wal',
            "file %s/cache/c.sqlite-wal belongs to another user, nobody. *remove it: rm '%s/cache/c.sqlite-wal'",
        ];
        yield 'nothing yet, in a folder for all' => [
            'chmod 1777 cache',
            'rm cache/*',
            "everybody can write the directory %s/cache. *mkdir -m 700 '%s/cache/larder-www-data'",
        ];
        yield 'nothing yet, in a folder of a stranger' => [
            'chown nobody cache',
            'rm cache/*',
            'directory %s/cache belongs to another user, nobody. *Use a path that only www-data can change',
        ];
        yield 'nothing yet, below a folder of a stranger' => [
            'chown nobody .',
            'rm cache/*',
            'directory %s belongs to another user, nobody. *Use a path that only www-data can change',
        ];
        yield 'a link of a stranger' => [
            'chmod 1777 cache; mkdir own; chown www-data own',
            'mv cache/c.sqlite own/; chown www-data own/c.sqlite; ln -s ../own/c.sqlite cache/c.sqlite; '
                . 'chown -h nobody cache/c.sqlite',
            'link %s/cache/c.sqlite belongs to another user, nobody. *',
        ];
    }

    #[DataProvider('plants')]
    public function testFileThatOthersCanWriteIsRefused(string $folder, string $plant, string $message): void
    {
        shell_exec(\sprintf('cd %s && %s', escapeshellarg($this->home), $folder));
        OtherUser::become(self::STRANGER);
        $file = $this->home . '/cache/c.sqlite';
        if (!is_writable($this->home . '/cache') || !str_contains($folder, '1777')) {
            posix_seteuid(0); // planted before the folder was repaired
        }
        $this->plant($file);
        posix_seteuid(0);
        shell_exec(\sprintf('cd %s && %s', escapeshellarg($this->home), $plant === '' ? 'true' : $plant));

        OtherUser::become(self::VICTIM);
        $refusal = self::assertThrows(
            StoreUnavailable::class,
            static fn() => Cache::open('sqlite://' . $file)->get('k'),
        );
        self::assertTrue(
            fnmatch('sqlite: *' . str_replace('%s', $this->home, $message), $refusal->getMessage()),
            $refusal->getMessage(),
        );
        gc_collect_cycles();
        self::assertFalse(Bomb::$exploded);
    }

    /** The control: the victim can read the planted value, and unserializing it runs the attacker's code. */
    public function testPlantedObjectIsCreatedWithoutTheCheck(): void
    {
        chmod($this->home . '/cache', 0o1777);
        OtherUser::become(self::STRANGER);
        $this->plant($this->home . '/cache/c.sqlite');
        OtherUser::become(self::VICTIM);
        $rows = (new \PDO('sqlite:' . $this->home . '/cache/c.sqlite'))->query('SELECT value FROM larder');
        self::assertNotFalse($rows);
        self::assertInstanceOf(Bomb::class, unserialize((string) $rows->fetchColumn()));
        self::assertTrue(Bomb::$exploded);
    }

    public function testFileThatBecomesUnsafeIsAMissAndUntouched(): void
    {
        OtherUser::become(self::VICTIM);
        $file = $this->home . '/cache/c.sqlite';
        $cache = Cache::open('sqlite://' . $file);
        self::assertTrue($cache->set('k', 'mine'));
        posix_seteuid(0);
        rename($this->home . '/cache', $this->home . '/before');
        mkdir($this->home . '/cache');
        chown($this->home . '/cache', self::STRANGER);
        $this->plant($file);
        chmod($this->home . '/cache/c.sqlite', 0o666);
        OtherUser::become(self::VICTIM);
        usleep(110_000);
        self::assertNull($cache->get('k'));
        self::assertFalse($cache->set('k', 1));
        self::assertFalse($cache->setMany(['k' => 1]));
        self::assertFalse($cache->increment('n'));
        self::assertFalse($cache->delete('k'));
        self::assertFalse(Bomb::$exploded);
    }

    /** Another user who opens a file before chmod() could read later values and hold its lock. */
    public function testNewFilesAreNeverOpenToOthers(): void
    {
        chmod($this->home . '/cache', 0o755);
        OtherUser::letThrough($this->home);
        $said = OtherUser::run(self::VICTIM, \sprintf('umask(0);
            eval(\'namespace Larder\\Internal\\Driver\\Sqlite; function chmod(string $file, int $mode): bool
                { clearstatcache(); printf("%%s %%o\n", $file, fileperms($file) & 0o077); return \chmod($file, $mode); }\');
            var_dump(Larder\Cache::open("sqlite://%s/cache/c.sqlite")->set("k", 1), umask() === 0);', $this->home));
        self::assertSame(
            1,
            preg_match('~^\S+/cache/c\.sqlite\.\S+\.new 0\nbool\(true\)\nbool\(true\)\n$~D', $said),
            $said,
        );
    }

    /** The names of the other files are predictable, but the folder is private. */
    public function testWalFilesArePrivate(): void
    {
        OtherUser::become(self::VICTIM);
        $mask = umask(0);
        $cache = Cache::open(\sprintf('sqlite://%s/cache/c.sqlite', $this->home));
        umask($mask);
        $cache->set('k', 1);
        foreach (['', '-wal', '-shm', '.lock'] as $suffix) {
            self::assertSame(
                '600',
                decoct((int) fileperms($this->home . '/cache/c.sqlite' . $suffix) & 0o777),
                $suffix,
            );
        }
    }

    private function plant(string $file): void
    {
        $database = new \PDO('sqlite:' . $file);
        $database->exec(
            'CREATE TABLE larder (namespace TEXT NOT NULL, name TEXT NOT NULL, full_key BLOB NOT NULL, '
                . 'value BLOB NOT NULL, expires INTEGER NOT NULL, version TEXT NOT NULL, '
                . 'PRIMARY KEY (namespace, name))',
        );
        $database->exec('CREATE INDEX larder_expires ON larder (expires) WHERE expires > 0');
        $database->prepare("INSERT INTO larder VALUES (?, ?, ?, ?, 0, '')")
            ->execute(['larder', hash('xxh128', 'k'), 'k', serialize(new Bomb())]);
        chmod($file, 0o666);
    }
}
