<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cache;
use Larder\Cli\Application;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\ApplicationTester;
use Symfony\Component\Process\Process;

/** Tests keys, du, get and delete in the segment of this process. */
#[RequiresPhpExtension('larder')]
final class InspectCommandsTest extends TestCase
{
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
        self::assertStringContainsString('Keys of the library: 2 (--all)', $lines[4], 'the version of the namespace and that of the tag');
        self::assertStringContainsString('Left by clear(): 1 entries', $lines[5]);
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
        self::assertMatchesRegularExpression('~^Left by clear\(\): 1 entries, \d+ B~m', $du);
        self::assertMatchesRegularExpression('~^page:/small +1 ~m', self::larder('du', ['prefix' => 'page:/']));
        self::assertMatchesRegularExpression('~^\(1 more\) +1 ~m', self::larder('du', ['-n' => '1']));
    }

    public function testTopShowsWhatIsGoingOn(): void
    {
        larder_store_multiple(['page:1' => str_repeat('x', 3000), 'user:1' => 1]);
        larder_fetch('page:1');
        $screen = self::larder('top');
        self::assertMatchesRegularExpression('~^\S+, segment \S+, PHP 8\.\d +\d+ [A-Z][a-z]{2}, [\d:]{8}$~m', $screen);
        self::assertMatchesRegularExpression('~^Hits     nothing was asked for, [\d.]+ % since ~m', $screen);
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
        self::assertMatchesRegularExpression('~^array of 3, [\d.]+ K?i?B of memory, stored \d+ s ago, not read, expires in \d+ (s|min), tags: post:7$~m', $shown);
        self::assertStringContainsString("  \"a\" => 1\n  \"deep\" => [\n    true\n    null\n    1.5\n  ]\n  \"o\" => ArrayObject {\n", $shown);
        $json = self::json('get', ['key' => 'k']);
        self::assertSame([['a' => 1, 'deep' => [true, null, 1.5], 'o' => ['class' => 'ArrayObject', 'x']], ['post:7'], false], [$json['value'], $json['tags'], $json['read']]);

        $cache->set('null', null);
        self::assertStringContainsString("\nnull\n", self::larder('get', ['key' => 'null']));
        self::assertSame('', self::larder('get', ['key' => 'none'], 1, 'There is no entry "none" in '));
        $loop = new \stdClass();
        $loop->itself = $loop;
        $cache->set('loop', $loop);
        self::assertStringContainsString('itself: stdClass (see above)', self::larder('get', ['key' => 'loop']));
    }

    /** Shown neither as null nor as missing. */
    public function testAValueWhoseClassIsMissingIsShownAsSuch(): void
    {
        eval('namespace Larder\Cli\Tests\Command; final class GoneLater { public int $price = 12; }');
        Cache::open('larder:')->set('gone', eval('return new \Larder\Cli\Tests\Command\GoneLater();'));
        self::assertStringContainsString('price: 12', self::larder('get', ['key' => 'gone']), 'the control');
        $limit = ini_set('larder.classes', '');
        self::assertIsString($limit);

        try {
            self::assertStringStartsWith('unreadable, ', self::larder('get', ['key' => 'gone']));
            self::assertTrue(self::json('get', ['key' => 'gone'])['unreadable'] ?? false);
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
        self::assertSame([1, null, null, 1], [$shop->get('a:1'), larder_fetch('a:1'), $shop->get('a:2'), larder_fetch('a:2')]);
        self::larder('delete', ['--prefix' => 'b:'], 2, 'add --yes');
        self::assertSame(1, larder_fetch('b:1'), 'nobody said yes');
        self::assertStringStartsWith('Deleted 2 entries of ', self::larder('delete', ['--prefix' => 'b:', '--yes' => true]));
        self::assertSame([1, false], [$shop->get('b:1'), larder_exists('b:1')]);
        self::assertStringStartsWith('Deleted 3 entries of ', self::larder('delete', ['--prefix' => 'shop:', '--yes' => true]));
        self::assertSame([null, 1], [$shop->get('b:1'), larder_fetch('a:2')]);
        self::larder('delete', ['--all' => true], 2, 'add --yes');
        self::assertSame(['deleted' => true], self::json('delete', ['--all' => true, '--yes' => true]));
        self::assertNull(larder_fetch('a:2'));
    }

    /** Its layout is another; an empty list would say that nothing is cached. */
    public function testSegmentOfTheModuleApcuIsNamed(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $user = $folder->path . '/larder-' . posix_geteuid();
        mkdir($user, 0o700);
        touch("$user/shop.apcu-0123456789abcdef");
        $root = __DIR__ . '/../../..';
        $isLoaded = (new Process([\PHP_BINARY, '-r', 'exit((int) !extension_loaded("larder"));']))->run() === 0;
        $php = [\PHP_BINARY, ...($isLoaded ? [] : ['-d', "extension=$root/extension/modules/larder.so"]), '-d', "larder.path=$folder->path"];
        $keys = static function (string $segment) use ($php, $root): Process {
            $process = new Process([...$php, '-d', "larder.segment=$segment", "$root/cli/bin/larder", 'keys']);
            $process->run();

            return $process;
        };

        self::assertStringStartsWith('This segment is empty. Beside it, shop.apcu has the entries of the module apcu', $keys('shop')->getErrorOutput());
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
        self::assertStringStartsWith('Deleted 2 entries ', self::larder('delete', $dsn + ['--prefix' => 'a:', '--yes' => true]));
        self::assertSame([null, 'three'], [$cache->get('a:1'), $cache->get('b')]);
        self::larder('delete', $dsn + ['--all' => true, '--yes' => true]);
        self::assertNull($cache->get('b'));
        self::larder('du', $dsn, 2, 'Only the engine');
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
    public function testMistakesEndWith2AndDeleteNothing(string $command, array $arguments): void
    {
        larder_store('k', 1);
        self::assertSame('', self::larder($command, $arguments, 2, ' '));
        self::assertSame(1, larder_fetch('k'));
    }

    /**
     * @param array<string, string|bool> $arguments
     * @return string standard output
     */
    private static function larder(string $command, array $arguments = [], int $code = 0, string $error = ''): string
    {
        $application = new Application();
        $application->setAutoExit(false);
        $tester = new ApplicationTester($application);
        $ended = $tester->run(['command' => $command, ...$arguments], ['capture_stderr_separately' => true, 'interactive' => false]);
        self::assertSame($code, $ended, $tester->getDisplay() . $tester->getErrorOutput());
        if ($error !== '') {
            self::assertStringContainsString($error, $tester->getErrorOutput());
        }

        return $tester->getDisplay();
    }

    /**
     * @param array<string, string|bool> $arguments
     * @return array<array-key, mixed>
     */
    private static function json(string $command, array $arguments): array
    {
        $data = json_decode(self::larder($command, $arguments + ['--json' => true]), true, 512, \JSON_THROW_ON_ERROR);
        self::assertIsArray($data);

        return $data;
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
