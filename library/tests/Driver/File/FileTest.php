<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\File;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;

final class FileTest extends DriverTestCase
{
    /** @var list<string> */
    private array $neighbours = [];

    public static function dsn(string $namespace): string
    {
        return \sprintf('file://%s?namespace=%s', Servers::directory('files'), $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    /** Files of another program in this namespace's folders, with similar names. */
    protected function plantNeighbour(): void
    {
        foreach ((array) glob(Servers::directory('files') . '/contract*') as $home) {
            @mkdir($home . '/ab', 0o700);
            @mkdir($home . '/abc', 0o700);
            foreach ([
                '/notes.cache',
                '/ab/notes.cache',
                '/abc/' . str_repeat('0', 30) . '.cache',
                '/ab/' . str_repeat('0', 30) . '.cached',
            ] as $name) {
                file_put_contents($home . $name, 'keep');
                $this->neighbours[] = $home . $name;
            }
        }
    }

    protected function neighbourIsThere(): bool
    {
        return $this->neighbours !== [] && array_filter($this->neighbours, is_file(...)) === $this->neighbours;
    }

    public function testFilesArePrivate(): void
    {
        $home = Servers::directory('files') . '/made/here';
        Cache::open('file://' . $home)->set('k', 1);
        self::assertSame(['700 larder', '700 folder'], self::folders($home), 'nobody else gets further');

        $home = Servers::directory('files') . '/was/there';
        mkdir($home . '/larder', recursive: true);
        chmod($home . '/larder', 0o755);
        Cache::open('file://' . $home)->set('k', 1);
        self::assertSame(['755 larder', '700 folder'], self::folders($home));
    }

    /** @return list<string> permissions of the folders above the only file there */
    private static function folders(string $home): array
    {
        $files = (array) glob("$home/larder/*/*.cache");
        self::assertCount(1, $files);
        $rights = static fn(string $folder): string => decoct((int) fileperms($folder) & 0o777);

        return [$rights("$home/larder") . ' larder', $rights(\dirname((string) $files[0])) . ' folder'];
    }

    public function testDamagedOrMisplacedFileIsAMiss(): void
    {
        $cache = Cache::open('file://' . Servers::directory('damage'));
        $cache->set('l', 'value of another');
        $content = (string) file_get_contents(self::onlyFile('damage'));
        $cache->clear();
        $cache->set('k', 'value');
        $file = self::onlyFile('damage');
        file_put_contents($file, $content);
        self::assertNull($cache->get('k'), 'as if both keys had one hash');
        $cache->set('k', 'value');
        $content = (string) file_get_contents($file);
        for ($length = 0; $length < \strlen($content); ++$length) {
            file_put_contents($file, substr($content, 0, $length));
            self::assertNull($cache->get('k'), 'cut after ' . $length);
        }
        file_put_contents($file, $content);
        self::assertSame('value', $cache->get('k'));
    }

    public function testFilesOfEveryLengthAreReadWhole(): void
    {
        $cache = Cache::open('file://' . Servers::directory('lengths'));
        // Files up to 32,766 bytes are read in another way, and 32 of those bytes are not the string's. The length of
        // the file read before matters too.
        $lengths = [10, 100_000, 10, ...range(32_733, 32_737), 100_000, ...range(32_737, 32_733), 10];
        $values = array_map(random_bytes(...), array_unique($lengths));
        foreach ($values as $value) {
            $cache->set('of ' . \strlen($value), $value);
        }
        $read = array_map(static fn(int $length): mixed => $cache->get("of $length"), $lengths);
        self::assertSame(
            $lengths,
            array_map(static fn(mixed $value): int => \is_string($value) ? \strlen($value) : 0, $read),
        );
        self::assertSame([], array_udiff($read, $values, static fn(mixed $a, mixed $b): int => $a <=> $b));
    }

    public function testFullDiskRefusesAndLeavesNothing(): void
    {
        $home = Servers::directory('full');
        $code = \sprintf(
            '$cache = Larder\Cache::open(%s); var_dump($cache->set("k", "old"), $cache->set("k", '
                . 'random_bytes(100_000)), $cache->get("k"));',
            var_export('file://' . $home, true),
        );
        // This process may write files of up to 8 blocks of 1,024 bytes.
        self::assertSame(
            "bool(true)\nbool(false)\nNULL\n",
            PhpProcess::run($code, before: 'trap "" XFSZ; ulimit -f 8'),
        );
        self::assertSame([], glob($home . '/larder/*/*'));
    }

    public function testLeftoversOfDeadWritersAreRemoved(): void
    {
        $cache = Cache::open('file://' . Servers::directory('leftovers'));
        $cache->set('k', 1);
        $leftover = self::onlyFile('leftovers') . '.123.1.abcdef01.tmp';
        $fresh = self::onlyFile('leftovers') . '.123.2.abcdef02.tmp';
        touch($leftover, time() - 7200);
        touch($fresh);
        self::assertTrue($cache->clear());
        self::assertFileDoesNotExist($leftover);
        self::assertFileExists($fresh);
    }

    public function testDirectoryThatOthersCanWriteIsRefused(): void
    {
        $home = Servers::directory('others') . '/larder';
        mkdir($home);
        $refusal = static function (string $scheme) use ($home): string {
            try {
                Cache::open(\sprintf('%s://%s', $scheme, \dirname($home)));
            } catch (StoreUnavailable $unavailable) {
                return $unavailable->getMessage();
            }

            return '';
        };
        foreach (['file', 'php-file'] as $scheme) {
            chmod($home, 0o777);
            self::assertStringStartsWith("$scheme: everybody can write the directory $home. ", $refusal($scheme));
            chmod($home, 0o770);
            self::assertStringStartsWith("$scheme: its group can write the directory $home. ", $refusal($scheme));
            chmod($home, 0o750);
            self::assertSame('', $refusal($scheme));
            if (posix_geteuid() === 0) {
                chown($home, 65_534);
                self::assertStringStartsWith(
                    "$scheme: the directory $home belongs to another user, nobody. ",
                    $refusal($scheme),
                );
                chown($home, 0);
            }
        }
    }

    public function testDirectoryThatCannotBeCreatedIsNamed(): void
    {
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches(
            '~^file: the directory /proc/larder/larder cannot be made\. Make it for the user .*: install -d~',
        );
        Cache::open('file:///proc/larder');
    }

    private static function onlyFile(string $directory): string
    {
        $files = (array) glob(Servers::directory($directory) . '/larder/*/*.cache');
        self::assertCount(1, $files);

        return (string) $files[0];
    }
}
