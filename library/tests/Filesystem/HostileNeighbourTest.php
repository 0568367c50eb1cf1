<?php

declare(strict_types=1);

namespace Larder\Tests\Filesystem;

use Larder\Tests\OtherUser;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Attacks by another user of the machine on caches in files and on folders in world-writable directories. */
final class HostileNeighbourTest extends TestCase
{
    /** An unused user id, so that its folders in /dev/shm do not affect others. */
    private const UNUSED = 54_321;

    private string $home;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It takes root to be several users');
        }
        $this->home = Servers::directory('hostile-' . bin2hex(random_bytes(4)));
        OtherUser::letThrough($this->home);
        mkdir($this->home . '/parent');
        chmod($this->home . '/parent', 0o755);
        mkdir($this->home . '/marks');
        chmod($this->home . '/marks', 0o777);
        mkdir($this->home . '/parent/cache');
        chown($this->home . '/parent/cache', OtherUser::VICTIM);
    }

    protected function tearDown(): void
    {
        exec('rm -rf /dev/shm/larder-*-' . self::UNUSED . ' /dev/shm/larder-*-' . self::UNUSED . '-*');
    }

    /** The neighbour owns a folder above, and replaces the victim's cache by his own. */
    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testReplacedFolderIsNotRead(string $scheme): void
    {
        self::assertSame(
            'right',
            OtherUser::run(
                OtherUser::VICTIM,
                $this->open($scheme) . '$c->set("k", "right"); echo $c->get("k");',
                ['-n'],
            ),
        );
        $this->plant();
        $said = OtherUser::run(OtherUser::VICTIM, $this->open($scheme) . 'var_dump($c->get("k"));', ['-n']);
        self::assertStringContainsString(
            "$scheme: the directory $this->home/parent belongs to another user, 65534. ",
            $said,
        );
        self::assertSame([], glob($this->home . '/marks/*'));

        $old = \sprintf(
            '$f = %s; var_dump(in_array(fileowner($f), [0, 33], true) && (fileperms($f) & 2) === 0); '
                . 'foreach (glob("$f/*/*") as $p) { include $p; }',
            var_export($this->home . '/parent/cache/larder', true),
        );
        self::assertSame("bool(true)\n", OtherUser::run(OtherUser::VICTIM, $old, ['-n']));
        self::assertCount(
            1,
            (array) glob($this->home . '/marks/*'),
            'the control: a look at the folder alone finds nothing wrong, and runs what was planted',
        );
    }

    /** It happens while the victim's process runs. */
    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testFolderReplacedLaterIsNotRead(string $scheme): void
    {
        $code = $this->open($scheme) . \sprintf(
            '$c->set("k", "right"); echo $c->get("k"), " "; touch(%1$s . "/ready");
            while (!file_exists(%1$s . "/planted")) { usleep(1000); clearstatcache(); }
            usleep(20_000);
            var_dump($c->get("k"), $c->set("k", 2), $c->increment("n"), $c->delete("k"), [...$c->keys()]);',
            var_export($this->home . '/marks', true),
        );
        $victim = OtherUser::start(OtherUser::VICTIM, $code, ['-n']);
        Servers::awaitFile($this->home . '/marks/ready');
        $this->plant();
        touch($this->home . '/marks/planted');
        $victim->wait();
        self::assertSame("right NULL\nbool(false)\nbool(false)\nbool(false)\narray(0) {\n}\n", $victim->getOutput());
        self::assertFileDoesNotExist($this->home . '/marks/run');
    }

    /** The folder is the victim's, but others may enter it; a folder in it was open to all for a while. */
    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testPlantedFileIsNotRead(string $scheme): void
    {
        $set = $this->open($scheme) . '$c->set("k", "right"); var_dump($c->get("k"));';
        OtherUser::run(OtherUser::VICTIM, $set, ['-n']);
        $file = (string) ((array) glob($this->home . '/parent/cache/larder/??/*'))[0];
        $get = $this->open($scheme) . 'var_dump($c->get("k"));';
        chmod($this->home . '/parent/cache/larder', 0o755);
        self::assertSame(
            "string(5) \"right\"\n",
            OtherUser::run(OtherUser::VICTIM, $get, ['-n']),
            'a folder that others may look into is as good',
        );
        chmod(\dirname($file), 0o755);
        self::assertSame("string(5) \"right\"\n", OtherUser::run(OtherUser::VICTIM, $get, ['-n']));
        chown($file, OtherUser::STRANGER);
        self::assertSame("NULL\n", OtherUser::run(OtherUser::VICTIM, $get, ['-n']), 'a file of another user');
        chown($file, OtherUser::VICTIM);
        chmod($file, 0o666);
        self::assertSame("NULL\n", OtherUser::run(OtherUser::VICTIM, $get, ['-n']), 'a file that everybody can write');
        chmod($file, 0o600);
        chmod(\dirname($file), 0o777);
        self::assertSame(
            "NULL\n",
            OtherUser::run(OtherUser::VICTIM, $get, ['-n']),
            'a folder where everybody can put another',
        );
        rename($file, $file . '-away');
        symlink($file . '-away', $file);
        chmod(\dirname($file), 0o755);
        self::assertSame("NULL\n", OtherUser::run(OtherUser::VICTIM, $get, ['-n']), 'a link');
    }

    /** @param list<string> $squatted names in the temporary directory that the neighbour has created first */
    #[TestWith([[]])]
    #[TestWith([['larder-33']])]
    #[TestWith([['larder-33', 'larder-33-0123456789abcdef0123456789abcdef', 'larder-33-1', 'larder-33-']])]
    public function testAutoFallbackFolderCannotBeTakenOver(array $squatted): void
    {
        $temporary = $this->temporary($squatted);
        $environment = 'export TMPDIR=' . escapeshellarg($temporary);
        $open = '$c = Larder\Cache::open("auto:");';
        // Twenty processes at once create the remaining folder.
        $processes = [];
        for ($i = 0; $i < 20; ++$i) {
            $processes[] = OtherUser::start(
                OtherUser::VICTIM,
                $open . \sprintf('var_dump($c->set("k%d", 1));', $i),
                ['-n'],
                $environment,
            );
        }
        foreach ($processes as $process) {
            $process->wait();
            self::assertSame("bool(true)\n", $process->getOutput());
        }
        self::assertSame(
            "int(20)\n",
            OtherUser::run(OtherUser::VICTIM, $open . 'var_dump(count([...$c->keys()]));', ['-n'], $environment),
            'all have the same folder',
        );
        $used = array_values(array_filter(
            (array) glob($temporary . '/larder-*'),
            static fn(string|false $path): bool => fileowner((string) $path) === OtherUser::VICTIM,
        ));
        self::assertCount(1, $used);
        self::assertSame('700', decoct((int) fileperms((string) $used[0]) & 0o777));
        self::assertSame($squatted === [], $used[0] === $temporary . '/larder-33');
        foreach ($squatted as $name) {
            self::assertSame([], glob("$temporary/$name/*"), 'nothing is kept where the neighbour has it');
        }
    }

    /**
     * The neighbour fills the temporary directory with names, so that a list of them would need more memory than PHP
     * may use.
     */
    public function testAutoFallbackFolderIsFoundAmongManyNames(): void
    {
        $temporary = $this->temporary(['larder-33']);
        for ($i = 0; $i < 40_000; ++$i) {
            touch($temporary . '/' . str_pad((string) $i, 200, 'x'));
        }
        $environment = 'export TMPDIR=' . escapeshellarg($temporary);
        for ($i = 1; $i <= 2; ++$i) {
            self::assertSame(
                "int($i)\n",
                OtherUser::run(
                    OtherUser::VICTIM,
                    'var_dump(Larder\Cache::open("auto:")->increment("k", first: 0));',
                    ['-n', '-d', 'memory_limit=8M'],
                    $environment,
                ),
            );
        }
    }

    /** Processes of a user exclude each other, although a neighbour has taken the names of their lock folders. */
    public function testSharedMemoryLocksCannotBeTakenOver(): void
    {
        if (!\extension_loaded('shmop')) {
            self::markTestSkipped('It needs the extension shmop');
        }
        foreach (['shmop', 'away', 'yac', 'yac-generations'] as $name) {
            $path = \sprintf('/dev/shm/larder-%s-%d', $name, self::UNUSED);
            mkdir($path);
            chown($path, OtherUser::STRANGER);
        }
        $code = '$c = Larder\Cache::open("shmop:?namespace=hostile"); for ($i = 0; $i < 200; ++$i) { '
            . '$c->increment("n"); }';
        $processes = [];
        for ($i = 0; $i < 4; ++$i) {
            $processes[] = OtherUser::start(self::UNUSED, $code);
        }
        foreach ($processes as $process) {
            $process->wait();
            self::assertSame('', $process->getOutput());
        }
        self::assertSame(
            "int(800)\nbool(true)\n",
            OtherUser::run(
                self::UNUSED,
                '$c = Larder\Cache::open("shmop:?namespace=hostile"); var_dump($c->get("n"), $c->clear());',
            ),
        );
        $record = '$r = Larder\Internal\Decorator\Breaker\OutageRecord::ofThisUser("server"); '
            . '%s echo $r->read()->failures;';
        OtherUser::run(
            self::UNUSED,
            \sprintf($record, '$r->change(fn($o) => new Larder\Internal\Decorator\Breaker\Outage(failures: 7));'),
        );
        self::assertSame(
            '7',
            OtherUser::run(self::UNUSED, \sprintf($record, '')),
            'what one process knows of a server, others do',
        );
    }

    /** Code that opens the victim's cache as $c. */
    private function open(string $scheme): string
    {
        return \sprintf(
            'try { $c = Larder\Cache::open(%s); } catch (Larder\Exception\StoreUnavailable $e) { '
                . 'exit($e->getMessage()); } ',
            var_export("$scheme://$this->home/parent/cache", true),
        );
    }

    /** The attacker owns the parent folder and plants files with the victim's names. */
    private function plant(): void
    {
        chown($this->home . '/parent', OtherUser::STRANGER);
        $code = \sprintf(
            '$p = %1$s; rename("$p/cache", "$p/old"); $run = "<?php touch(" . var_export(%2$s . "/run", true) . "); '
                . 'return [0, 0.0, \'k\', true, 1];"; mkdir("$p/cache");',
            var_export($this->home . '/parent', true),
            var_export($this->home . '/marks', true),
        );
        self::assertSame('', OtherUser::run(OtherUser::STRANGER, $code, ['-n']));
        // He only needs the names, which are hashes of keys. A folder that he created himself would be detected by its
        // owner.
        rename($this->home . '/parent/old/larder', $this->home . '/parent/cache/larder');
        foreach ((array) glob($this->home . '/parent/cache/larder/??/*') as $file) {
            file_put_contents(
                (string) $file,
                \sprintf(
                    '<?php touch(%s); return [0, 0.0, "k", true, 1];',
                    var_export($this->home . '/marks/run', true),
                ),
            );
        }
        chown($this->home . '/parent/cache', OtherUser::VICTIM);
    }

    /** @param list<string> $squatted */
    private function temporary(array $squatted): string
    {
        mkdir($this->home . '/tmp');
        chmod($this->home . '/tmp', 0o1777);
        foreach ($squatted as $name) {
            mkdir("$this->home/tmp/$name", 0o777);
            chown("$this->home/tmp/$name", OtherUser::STRANGER);
        }

        return $this->home . '/tmp';
    }
}
