<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Text;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Internal\Process\User;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Tests keys, du, get and delete in the segment of this process. */
#[RequiresPhpExtension('larder')]
final class InspectCommandsTest extends TestCase
{
    use RunsCommands;

    private const HOSTILE = ["\x1b]0;title\x07", "\u{202e}gpj.exe", "two\nlines", "bytes\xff\x00", "\x7f", "\u{200b}"];

    protected function setUp(): void
    {
        larder_clear();
    }

    protected function tearDown(): void
    {
        larder_clear();
    }

    public function testKeysAreNamedAsTheApplicationWroteThem(): void
    {
        $shop = Cache::open('larder:?namespace=shop');
        $shop->set('user:1', 'left');
        $shop->clear();
        $shop->set('user:2', str_repeat('x', 500), tags: ['t']);
        Cache::open('larder:')->set('page:/', str_repeat('x', 3000), 3000);
        Cache::open('larder:')->set('page:/small', 1);

        $lines = explode("\n", self::larder('keys'));
        self::assertMatchesRegularExpression('~^    3 KiB +\d+ s +\d+ (s|min)   no     page:/$~', $lines[1]);
        self::assertMatchesRegularExpression('~^ +\d+ (Ki)?B +\d+ s     never   no     shop:user:2$~', $lines[2]);
        self::assertStringEndsWith('page:/small', $lines[3]);
        self::assertStringContainsString('3 entries', $lines[4]);
        self::assertStringContainsString(
            'Keys of the library: 2 (--all)',
            $lines[4],
            'the version of the namespace and that of the tag',
        );
        self::assertStringContainsString('Left by clear(): 1 entry, ', $lines[5]);
        self::assertStringNotContainsString('user:1', implode("\n", $lines));
        self::assertStringContainsString('=user:1', self::larder('keys', ['--all' => true, '--json' => true]));

        self::assertStringNotContainsString('page:', self::larder('keys', ['prefix' => 'shop:']));
        self::assertStringNotContainsString('page:/small', self::larder('keys', ['-n' => '1', 'prefix' => 'page:']));
        self::assertStringContainsString('2 entries', self::larder('keys', ['-n' => '1', 'prefix' => 'page:']));
        self::assertStringEndsWith(' page:/', explode("\n", self::larder('keys', ['--sort' => 'ttl']))[1]);
        $shop->get('user:2');
        self::assertStringNotContainsString('shop:', self::larder('keys', ['--unread' => true]));

        $du = self::larder('du');
        self::assertMatchesRegularExpression('~^page: +2 +3 KiB +\d+ % +0 % +\d+ s$~m', $du);
        self::assertMatchesRegularExpression('~^shop:user: +1 +\d+ (Ki)?B +\d+ % +100 % +\d+ s$~m', $du);
        self::assertMatchesRegularExpression('~^Left by clear\(\): 1 entry, \d+ B~m', $du);
        self::assertMatchesRegularExpression('~^page:/small +1 ~m', self::larder('du', ['prefix' => 'page:/']));
        self::assertMatchesRegularExpression('~^\(1 more\) +1 ~m', self::larder('du', ['-n' => '1']));
        $top = self::larder('top');
        self::assertStringEndsWith("\nBesides: 2 entries of the library, 1 entry left by clear().\n", $top);
    }

    public function testTopShowsWhatIsGoingOn(): void
    {
        larder_store_multiple(['page:1' => str_repeat('x', 3000), 'user:1' => 1]);
        larder_fetch('page:1');
        $screen = self::larder('top');
        self::assertMatchesRegularExpression('~^\S+, segment \S+, PHP 8\.\d +\d+ [A-Z][a-z]{2}, [\d:]{8}$~m', $screen);
        self::assertMatchesRegularExpression('~^Hits     no gets now, [\d.]+ % since ~m', $screen);
        self::assertMatchesRegularExpression('~^Rates    0 gets/s, 0 stores/s, 0 evictions/s$~m', $screen);
        self::assertMatchesRegularExpression('~^Memory   .*; 2 entries; readers hold ~m', $screen);
        self::assertMatchesRegularExpression('~^page: +1 +3 KiB +9\d % +100 % +\d+ s\nuser: +1 ~m', $screen);
        foreach (explode("\n", $screen) as $line) {
            self::assertLessThan(80, mb_strlen($line), $line);
        }

        $data = json_decode(self::larder('top', ['--json' => true]), true, flags: \JSON_THROW_ON_ERROR);
        self::assertIsArray($data);
        self::assertSame([2, null], [$data['entries'], $data['hit_rate']]);
    }

    public function testPrometheusGetsEachFigureOnce(): void
    {
        larder_store('page:1', 'x');
        $text = self::larder('top', ['--prometheus' => true]);
        $sample = '~^(larder_[a-z_]+\{segment="[\w.-]+",user="\w+"(?:,[a-z]+="[\w+]+")?\}) \d+$~m';
        self::assertSame(substr_count($text, "\n") - substr_count($text, '# '), preg_match_all($sample, $text, $names));
        self::assertSame($names[1], array_unique($names[1]));
        self::assertMatchesRegularExpression('~^larder_up\{[^}]+\} 1$~m', $text);
        self::assertMatchesRegularExpression('~^larder_entries\{[^}]+\} 1$~m', $text);
        preg_match_all('~^larder_eviction_age_seconds_(?:bucket|count)\{.* (\d+)$~m', $text, $counts);
        self::assertCount(17, $counts[1]);
        self::assertSame($counts[1][15], $counts[1][16], 'all are within +Inf');
    }

    public function testALookChangesNothing(): void
    {
        Cache::open('larder:?namespace=shop')->set('looked:at', [1, new \ArrayObject([2])], tags: ['t']);
        $counters = static fn(): array => array_diff_key(larder_info(false), ['age' => true]);
        $before = $counters();
        foreach (['keys', 'du', 'get', 'top'] as $command) {
            self::larder($command, $command === 'get' ? ['key' => 'shop:looked:at'] : []);
            self::larder($command, ['--json' => true] + ($command === 'get' ? ['key' => 'shop:looked:at'] : []));
        }
        self::assertSame($before, $counters());
        self::assertStringContainsString(' no     shop:looked:at', self::larder('keys'));
        Cache::open('larder:?namespace=shop')->get('looked:at');
        self::assertNotSame($before, $counters(), 'the control: a get counts');
        self::assertStringContainsString(' yes    shop:looked:at', self::larder('keys'));
    }

    public function testAValueIsShownWithWhatIsKnownOfIt(): void
    {
        $cache = Cache::open('larder:');
        $cache->set('k', ['a' => 1, 'deep' => [true, null, 1.5], 'o' => new \ArrayObject(['x'])], 3000, ['post:7']);
        $shown = self::larder('get', ['key' => 'k']);
        self::assertMatchesRegularExpression(
            '~^array of 3, [\d.]+ K?i?B of memory, stored \d+ s ago, not read, expires in \d+ (s|min), tags: post:7$~m',
            $shown,
        );
        self::assertStringContainsString(
            "  \"a\" => 1\n  \"deep\" => [\n    true\n    null\n    1.5\n  ]\n  \"o\" => ArrayObject {\n",
            $shown,
        );
        $json = self::json('get', ['key' => 'k']);
        self::assertSame(
            [['a' => 1, 'deep' => [true, null, 1.5], 'o' => ['class' => 'ArrayObject', 'x']], ['post:7'], false],
            [$json['value'], $json['tags'], $json['read']],
        );

        $cache->set('null', null);
        self::assertStringContainsString("\nnull\n", self::larder('get', ['key' => 'null']));
        self::assertSame('', self::larder('get', ['key' => 'none'], 1, 'To list those that are there: larder keys'));
        $loop = new \stdClass();
        $loop->itself = $loop;
        $cache->set('loop', $loop);
        self::assertStringContainsString('itself: stdClass (see above)', self::larder('get', ['key' => 'loop']));
    }

    public function testAValueWhoseClassIsMissingIsShownAsSuch(): void
    {
        eval('namespace Larder\Cli\Tests\Command; final class GoneLater { public int $price = 12; }');
        Cache::open('larder:')->set('gone', eval('return new \Larder\Cli\Tests\Command\GoneLater();'));
        self::assertStringContainsString('price: 12', self::larder('get', ['key' => 'gone']), 'the control');
        $serializer = ini_set('larder.serializer', 'igbinary');
        Cache::open('larder:')->set('igbinary', [new \SplObjectStorage(), new \ArrayObject()]);
        $limit = ini_set('larder.classes', '');
        self::assertIsString($limit);
        self::assertIsString($serializer);
        ini_set('larder.serializer', $serializer);
        $class = 'Larder\Cli\Tests\Command\GoneLater';

        try {
            self::assertStringStartsWith($class, self::larder('get', ['key' => 'gone']));
            self::assertStringContainsString("\n$class {\n  0: 12\n}\n", self::larder('get', ['key' => 'gone']));
            self::assertSame(['class' => $class, 0 => 12], self::json('get', ['key' => 'gone'])['value'] ?? null);
            self::assertStringStartsWith('unreadable, ', self::larder('get', ['key' => 'igbinary']));
            self::assertTrue(self::json('get', ['key' => 'igbinary'])['unreadable'] ?? false);
        } finally {
            ini_set('larder.classes', $limit);
        }
    }

    public function testNothingReachesTheTerminalAsAControl(): void
    {
        foreach (self::HOSTILE as $i => $hostile) {
            larder_store("h$i:$hostile", [$hostile => $hostile, 'o' => (object) [$hostile => 1]]);
        }
        $all = '';
        foreach (['keys', 'du'] as $command) {
            $all .= self::larder($command) . self::larder($command, ['--json' => true]);
        }
        foreach (self::HOSTILE as $i => $hostile) {
            $all .= self::larder('get', ['key' => "h$i:$hostile"]) . self::larder('get', ['key' => "h$i:$hostile", '--json' => true]);
            $all .= self::larder('get', ['key' => "no$hostile"], 1, 'There is no entry "no');
        }
        self::assertMatchesRegularExpression('/^[^\p{C}]+$/Du', str_replace("\n", '', $all));
        self::assertStringContainsString('h0:\u{1b}]0;title\u{7}', $all);
        self::assertStringContainsString('\u{202e}gpj.exe', $all);
        self::assertStringContainsString('bytes\xff\x00', $all);
        $entries = self::json('keys', ['prefix' => 'h1'])['entries'];
        self::assertIsArray($entries);
        self::assertSame(["h1:\u{202e}gpj.exe"], array_column($entries, 'key'));
        self::assertDoesNotMatchRegularExpression('/^.{81}/m', self::larder('keys') . self::larder('du'));
    }

    public function testEntriesAreDeleted(): void
    {
        $shop = Cache::open('larder:?namespace=shop');
        foreach (['a:1', 'a:2', 'b:1', 'b:2'] as $key) {
            $shop->set($key, 1);
            larder_store($key, 1);
        }
        self::assertStringStartsWith('Deleted 1 entry of ', self::larder('delete', ['key' => 'a:1']));
        self::assertStringStartsWith('Deleted 1 entry of ', self::larder('delete', ['key' => 'shop:a:2']));
        self::larder('delete', ['key' => 'shop:a:2'], 1);
        self::assertSame(
            [1, null, null, 1],
            [$shop->get('a:1'), larder_fetch('a:1'), $shop->get('a:2'), larder_fetch('a:2')],
        );
        self::larder('delete', ['--prefix' => 'b:'], 3, 'add --yes');
        self::assertSame(1, larder_fetch('b:1'), 'nobody said yes');
        self::assertStringStartsWith(
            'Deleted 2 entries of ',
            self::larder('delete', ['--prefix' => 'b:', '--yes' => true]),
        );
        self::assertSame([1, false], [$shop->get('b:1'), larder_exists('b:1')]);
        self::assertStringStartsWith(
            'Deleted 3 entries of ',
            self::larder('delete', ['--prefix' => 'shop:', '--yes' => true]),
        );
        self::assertSame([null, 1], [$shop->get('b:1'), larder_fetch('a:2')]);
        self::larder('delete', ['--all' => true], 3, 'add --yes');
        self::assertSame(['deleted' => true], self::json('delete', ['--all' => true, '--yes' => true]));
        self::assertNull(larder_fetch('a:2'));
    }

    /** The session id at the end is what somebody looks for. */
    public function testKeysAreWholeUnlessTheTerminalIsTooNarrow(): void
    {
        $key = 'page:/shop/' . str_repeat('product/', 10) . '?sid=9f3c1e';
        larder_store($key, 'v');
        self::assertStringContainsString(" $key\n", self::larder('keys'));
        self::assertStringContainsString('"v"', self::larder('get', ['key' => $key]));
        self::assertSame('page:/shop/product/…product/?sid=9f3c1e', Text::middle($key, 40));
        self::assertSame($key, Text::middle($key, 120));
        self::assertSame('日本…本語', Text::middle(str_repeat('日本語', 9), 10));
        if (!Process::isPtySupported()) {
            self::markTestSkipped('there are no terminals here');
        }
        $folder = new TemporaryDirectory('/dev/shm');
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path", 'larder.size=8M');
        (new Process([...$php, '-r', 'larder_store($argv[1], 1);', '--', $key]))->mustRun();
        foreach ([80 => '?sid=9f3c1e', 200 => $key] as $columns => $end) {
            $keys = new Process([...$php, __DIR__ . '/../../bin/larder', 'keys'], env: ['COLUMNS' => (string) $columns]);
            $lines = explode("\r\n", $keys->setPty(true)->mustRun()->getOutput());
            self::assertStringEndsWith($end, $lines[1]);
            self::assertLessThanOrEqual($columns, mb_strlen($lines[1]));
        }
    }

    /** A terminal has 80 columns; a program needs what it can give to `larder delete --prefix`. */
    public function testPrefixesAreWholeUnlessTheyGoToATerminal(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path", 'larder.size=8M');
        $prefix = str_repeat('catalogue-', 5) . ':';
        (new Process([...$php, '-r', 'larder_store($argv[1], 1);', '--', "{$prefix}1"]))->mustRun();
        foreach ([['du'], ['top', '--once']] as $words) {
            $command = [...$php, __DIR__ . '/../../bin/larder', ...$words];
            $piped = (new Process($command))->mustRun()->getOutput();
            self::assertMatchesRegularExpression("~^$prefix +1 +~m", $piped);
            if (!Process::isPtySupported()) {
                self::markTestSkipped('there are no terminals here');
            }
            $shown = (new Process($command))->setPty(true)->mustRun()->getOutput();
            self::assertMatchesRegularExpression('~^catalogue-.*… \(51 characters\) +1 +~m', $shown);
            self::assertDoesNotMatchRegularExpression('/^[^\r\n]{80}/mu', $shown);
        }
    }

    public function testMistakesAreJsonToo(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path", 'larder.size=8M');
        $larder = static function (string ...$words) use ($php): array {
            $process = new Process([...$php, __DIR__ . '/../../bin/larder', ...array_values($words)]);

            return [$process->run(), $process->getErrorOutput(), json_decode($process->getOutput(), true)];
        };
        self::assertSame(0, $larder('keys', '--json')[0], 'the control: nobody named it');
        self::assertStringEndsWith("There are: none\n", $larder('keys', '--segment', 'defalt')[1]);
        (new Process([...$php, '-r', 'larder_store("k", 1);']))->mustRun();
        $said = 'There is no segment defalt of ' . User::name() . '. There are: default';
        foreach (['keys', 'du', 'top'] as $command) {
            self::assertSame([3, "$said\n", ['error' => $said, 'code' => 3]], $larder($command, '--segment', 'defalt', '--json'));
        }
        foreach ([['doctor', '--jsn'], ['keys', '-n', '0'], ['load', '-'], ['resize', '--dsn=file:'], ['doctor', 'no:'], ['warm', 'none']] as $words) {
            [$code, $message, $error] = $larder(...$words, ...['--json']);
            self::assertSame([3, ['error' => rtrim($message), 'code' => 3]], [$code, $error], $words[0]);
        }
        self::assertSame([1, null], [$larder('compare', '--jsn')[0], $larder('doctor', '--jsn')[2]], 'the controls');
    }

    /** Its layout is another; an empty list would say that nothing is cached. */
    public function testSegmentOfTheModuleApcuIsNamed(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $user = $folder->path . '/larder-' . posix_geteuid();
        mkdir($user, 0o700);
        touch("$user/shop.apcu-0123456789abcdef");
        $root = __DIR__ . '/../../..';
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path");
        $keys = static function (string $segment) use ($php, $root): Process {
            $process = new Process([...$php, '-d', "larder.segment=$segment", "$root/cli/bin/larder", 'keys']);
            $process->run();

            return $process;
        };

        self::assertStringStartsWith(
            'This segment is empty. Beside it, shop.apcu has the entries of the module apcu',
            $keys('shop')->getErrorOutput(),
        );
        self::assertSame('', $keys('other')->getErrorOutput(), 'the control');
        self::assertSame(3, $keys('shop.apcu')->getExitCode());
    }

    public function testOtherStoresAreLookedInto(): void
    {
        $directory = new TemporaryDirectory();
        $dsn = ['--dsn' => 'file://' . $directory->path];
        $cache = Cache::open($dsn['--dsn']);
        $cache->set('a:1', 'one', 60);
        $cache->set('a:2', 'two');
        $cache->set('b', 'three');
        $cache->set('old', 1, 0.001);
        usleep(20_000);
        self::assertStringContainsString("b\n", self::larder('keys', $dsn));
        self::assertSame(['a:1', 'a:2'], self::sorted(self::json('keys', $dsn + ['prefix' => 'a:'])));
        self::assertStringContainsString("\"one\"\n", self::larder('get', $dsn + ['key' => 'a:1']));
        self::assertStringStartsWith('Deleted 1 entry ', self::larder('delete', $dsn + ['--expired' => true]));
        self::assertStringStartsWith(
            'Deleted 2 entries ',
            self::larder('delete', $dsn + ['--prefix' => 'a:', '--yes' => true]),
        );
        self::assertSame([null, 'three'], [$cache->get('a:1'), $cache->get('b')]);
        self::larder('delete', $dsn + ['--all' => true, '--yes' => true]);
        self::assertNull($cache->get('b'));
        self::larder('du', $dsn, 3, 'Only the engine');
        self::larder('keys', ['--dsn' => 'memcached:///no/such.sock'], 3, 'memcached');
    }

    /** @param array<string, string|bool> $arguments */
    #[TestWith(['keys', ['-n' => '0']])]
    #[TestWith(['keys', ['--sort' => 'use']])]
    #[TestWith(['keys', ['--dsn' => 'nothing:']])]
    #[TestWith(['du', ['-n' => 'x']])]
    #[TestWith(['delete', []])]
    #[TestWith(['delete', ['key' => 'k', '--all' => true]])]
    #[TestWith(['delete', ['--prefix' => '']])]
    #[TestWith(['delete', ['--expired' => true]])]
    public function testMistakesEndWith3AndDeleteNothing(string $command, array $arguments): void
    {
        larder_store('k', 1);
        self::assertSame('', self::larder($command, $arguments, 3, ' '));
        self::assertSame(1, larder_fetch('k'));
    }

    /**
     * @param array<array-key, mixed> $values
     * @return array<array-key, mixed>
     */
    private static function sorted(array $values): array
    {
        sort($values);

        return $values;
    }
}
