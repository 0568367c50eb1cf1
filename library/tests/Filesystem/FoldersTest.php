<?php

declare(strict_types=1);

namespace Larder\Tests\Filesystem;

use Larder\Cache;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\OtherUser;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Folders that the system, a umask or another program makes unfit for a cache. */
final class FoldersTest extends TestCase
{
    use AssertsThrows;

    /** An unused user id, so that its folders in /tmp do not affect others. */
    private const UNUSED = 54_322;

    private string $home;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It takes root to mount file systems and to be another user');
        }
        $this->home = Servers::directory('folders-' . bin2hex(random_bytes(4)));
        OtherUser::letThrough($this->home);
    }

    protected function tearDown(): void
    {
        exec('rm -rf /tmp/larder-' . self::UNUSED . ' /dev/shm/larder-*-' . self::UNUSED);
    }

    /** @return iterable<string, array{string, string}> */
    public static function umasks(): iterable
    {
        foreach (['0022', '0077', '0400', '0200', '0700', '0777'] as $umask) {
            foreach (['file://%s/new/cache', 'php-file://%s/new/cache', 'sqlite://%s/cache.sqlite', 'auto:'] as $dsn) {
                yield "$umask $dsn" => [$umask, $dsn];
            }
        }
    }

    /** Readable for another process too, with no open file. */
    #[DataProvider('umasks')]
    public function testUmaskThatTakesTheOwnersBitsHidesNothing(string $umask, string $dsn): void
    {
        chown($this->home, self::UNUSED);
        $open = \sprintf('$cache = Larder\Cache::open("%s");', \sprintf($dsn, $this->home));
        $options = ['-n', ...self::shared('pdo', 'pdo_sqlite', 'posix'), '-d', 'sys_temp_dir=/tmp'];
        $set = $open . 'echo json_encode([$cache->set("k", "value"), $cache->get("k"), $cache->remember("made", 60, '
            . 'fn() => 1), $cache->increment("n")]);';
        self::assertSame('[true,"value",1,1]', OtherUser::run(self::UNUSED, $set, $options, "umask $umask"));
        $get = $open . 'echo json_encode([$cache->get("k"), $cache->get("made"), $cache->increment("n"), '
            . 'count([...$cache->keys()]), $cache->lock("l", 5) !== null, $cache->clear(), $cache->has("k")]);';
        self::assertSame(
            '["value",1,2,3,true,true,false]',
            OtherUser::run(self::UNUSED, $get, $options, "umask $umask"),
        );
    }

    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testCacheComputesAfterItsFileSystemBecameReadOnly(string $scheme): void
    {
        $code = \sprintf(<<<'PHP'
            $cache = Larder\Cache::open('%s://%s/cache');
            $cache->set('k', 'kept');
            exec('mount -o remount,ro %2$s', $output, $code);
            echo json_encode([$code, $cache->get('k'), $cache->remember('r', 5, fn() => 'made'), $cache->lock('l', 5), $cache->set('k', 'new'), $cache->clear(), $cache->prune(), $cache->get('k')]);
            PHP, $scheme, $this->home);
        self::assertSame('[0,"kept","made",null,false,false,0,"kept"]', $this->mounted($code));
    }

    /** Like in the image of a container. A cache that was never filled is refused, so that the problem is noticed. */
    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testFilledCacheOnAReadOnlyFileSystemIsRead(string $scheme): void
    {
        $code = \sprintf(<<<'PHP'
            Larder\Cache::open('%1$s://%2$s/cache')->set('k', 'kept');
            mkdir('%2$s/empty/larder', recursive: true);
            exec('mount -o remount,ro %2$s');
            $cache = Larder\Cache::open('%1$s://%2$s/cache');
            echo json_encode([$cache->get('k'), $cache->set('k', 'new'), $cache->remember('r', 5, fn() => 'made'), $cache->delete('k'), $cache->get('k')]), "\n";
            foreach (['empty', 'missing'] as $folder) {
                try { Larder\Cache::open("%1$s://%2$s/$folder"); } catch (Larder\Exception\StoreUnavailable $refusal) { echo $refusal->getMessage(), "\n"; }
            }
            PHP, $scheme, $this->home);
        self::assertSame(\sprintf(<<<'TEXT'
            ["kept",false,"made",false,"kept"]
            %1$s: the directory %2$s/empty/larder is not writable: its file system is read-only. Name a directory on another one, or mount this one writable
            %1$s: the directory %2$s/missing/larder cannot be made: its file system is read-only. Name a directory on another one, or mount this one writable

            TEXT, $scheme, $this->home), $this->mounted($code));
    }

    /**
     * @return iterable<string, array{string}> DSNs whose folder belongs to the system or to other programs; %s is such
     *         a folder
     */
    public static function foreignFolders(): iterable
    {
        yield 'four slashes' => ['sqlite:////tmp/x.db'];
        yield '/var/tmp' => ['sqlite:///var/tmp/x.db'];
        yield '/dev/shm' => ['sqlite:///dev/shm/x.db'];
        yield 'in a tier' => ['tier:(array:)(sqlite:////tmp/x.db)'];
        yield 'a namespace' => ['file:///?namespace=tmp'];
        yield 'a folder of others, for all' => ['sqlite://%s/for-all/x.db'];
        yield 'a folder of others, as a namespace' => ['file://%s?namespace=for-all'];
        yield 'below a folder of others' => ['file://%s/for-all/cache'];
        yield 'a folder of another user' => ['php-file://%s?namespace=stranger'];
        yield 'below a folder of another user' => ['file://%s/stranger/cache'];
        yield 'a folder that this user cannot write' => ['file://%s?namespace=root'];
        yield 'below a folder that this user cannot write' => ['file://%s/root/cache'];
    }

    /** Larder's advice only ever removes or changes a folder that contains nothing but a cache, or is missing. */
    #[DataProvider('foreignFolders')]
    public function testNoAdviceChangesAFolderOfOthers(string $dsn): void
    {
        foreach (['for-all' => [0, 0o777], 'stranger' => [OtherUser::STRANGER, 0o755], 'root' => [
            0,
            0o755,
        ]] as $name => [$owner, $mode]) {
            mkdir("$this->home/$name");
            touch("$this->home/$name/orders.csv");
            mkdir("$this->home/$name/0f");
            chown("$this->home/$name", $owner);
            chmod("$this->home/$name", $mode);
        }
        $code = 'try { Larder\Cache::open("' . \sprintf($dsn, $this->home) . '")->set("k", 1); echo "opened"; '
            . '} catch (Larder\Exception\StoreUnavailable $refusal) { echo $refusal->getMessage(); }';
        $said = OtherUser::run(self::UNUSED, $code, ['-n', ...self::shared('pdo', 'pdo_sqlite', 'posix')]);
        self::assertMatchesRegularExpression('~^[a-z:-]+ (the directory|everybody can write)~', $said);
        preg_match_all("~(rm|chmod|chown|install|mkdir)\\b.*? '(.*?)'~", $said, $commands, \PREG_SET_ORDER);
        foreach ($commands as [$command, $program, $path]) {
            self::assertContains($program, ['mkdir', 'install'], $command);
            self::assertFileDoesNotExist($path, $command);
        }
    }

    /** The control: a folder with nothing but a cache may be removed. */
    public function testCacheThatOthersMayHaveFilledIsToBeRemoved(): void
    {
        Cache::open('file://' . $this->home)->set('k', 1);
        chmod($this->home . '/larder', 0o777);
        $refusal = self::assertThrows(StoreUnavailable::class, fn() => Cache::open('file://' . $this->home)->get('k'));
        self::assertSame(
            "Remove this cache, with what others may have left there: rm -r '$this->home/larder'",
            $refusal->how,
        );
        touch($this->home . '/larder/orders.csv');
        $refusal = self::assertThrows(StoreUnavailable::class, fn() => Cache::open('file://' . $this->home)->get('k'));
        self::assertSame('Use a directory of its own, that only root can write', $refusal->how);
    }

    /** @return string what the code prints where a file system of its own is mounted at the test's directory */
    private function mounted(string $code): string
    {
        return PhpProcess::run(
            $code,
            before: 'mount -t tmpfs -o size=4m,mode=700 none ' . escapeshellarg($this->home),
            under: ['unshare', '--mount'],
        );
    }

    /** @return list<string> options that load the modules of this PHP */
    private static function shared(string ...$names): array
    {
        $builtIn = explode("\n", (string) shell_exec(\PHP_BINARY . ' -n -m'));
        $options = [];
        foreach ($names as $name) {
            if (!\in_array($name, array_map(strtolower(...), array_map(trim(...), $builtIn)), true)) {
                array_push($options, '-d', "extension=$name");
            }
        }

        return $options;
    }
}
