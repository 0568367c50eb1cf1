<?php

declare(strict_types=1);

namespace Larder\Tests\Dump;

use Larder\Cache;
use Larder\Dump\Dump;
use Larder\Exception\DumpFailed;
use Larder\Internal\Dump\DumpWriter;
use Larder\Testing\Values;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('larder')]
final class DumpTest extends TestCase
{
    private string $file;

    protected function setUp(): void
    {
        larder_clear();
        $this->file = Servers::directory('dump') . '/' . bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        foreach ((array) glob("$this->file*") as $file) {
            unlink((string) $file);
        }
        larder_clear();
    }

    public function testValuesSurvive(): void
    {
        $expected = [];
        foreach (Values::all() as $i => [$value]) {
            larder_store("k$i", unserialize(serialize($value)));
            $expected["k$i"] = serialize(larder_fetch("k$i"));
            larder_store("k$i", $value);
        }
        $this->carry();
        foreach ($expected as $key => $bytes) {
            self::assertSame($bytes, serialize(larder_fetch($key)));
        }
    }

    /** Read and written in pieces, the length of which must not matter. */
    public function testValuesOfAllLengthsSurvive(): void
    {
        $expected = [];
        for ($i = 0; $i < 400; ++$i) {
            $length = $i % 20 === 0 ? random_int(200_000, 800_000) : random_int(0, 3000);
            $value = str_repeat(random_bytes(10), intdiv($length, 10)) . str_repeat('x', $length % 10);
            $expected["k$i"] = $i % 3 === 0 ? [$value] : $value;
            self::assertTrue(larder_store("k$i", $expected["k$i"]));
        }
        $this->carry();
        foreach ($expected as $key => $value) {
            self::assertTrue(larder_fetch($key) === $value, $key);
        }
    }

    public function testTimesSurvive(): void
    {
        larder_store('forever', 1);
        larder_store('minute', 1, 60);
        larder_store('kept', 1, 60, 600, 0.5);
        $this->carry();

        self::assertSame(0.0, larder_key_info('forever')['ttl'] ?? null);
        self::assertEqualsWithDelta(60.0, larder_key_info('minute')['ttl'] ?? null, 5.0);
        self::assertEqualsWithDelta(60.0, larder_key_info('kept')['ttl'] ?? null, 5.0);
    }

    public function testStalenessAndCostSurvive(): void
    {
        larder_store('kept', ['x'], 60, 600, 0.5);
        larder_store('costly', 'y', 60, 0, 1.25);
        larder_store('plain', 'z', 60);
        $this->carry();
        self::assertSame([['x'], 600.0, 0.5], self::known('kept'));
        self::assertSame(['y', 0.0, 1.25], self::known('costly'));
        self::assertSame(['z', 0.0, 0.0], self::known('plain'));

        larder_store('kept', 'new', 60, 5);
        $writer = new DumpWriter($this->file, ['time' => microtime(true)]);
        $writer->add('kept', '1', false, microtime(true) + 60, 600.0);
        $writer->add('stale', '2', false, microtime(true) - 10, 600.0, 0.5);
        $writer->finish();
        $counts = Dump::load($this->file, intoOlder: true);
        self::assertSame([1, 1, 'new'], [$counts['entries'], $counts['there'], larder_fetch('kept')], 'what is there stays');
        usleep(20_000);
        self::assertNull(larder_fetch('stale'));
        $stale = larder_fetch_entry('stale');
        self::assertIsArray($stale);
        self::assertSame([2, 0.5], [$stale['value'], $stale['cost']], 'its ttl ended between dump and load');
        self::assertEqualsWithDelta(590.0, $stale['stale'], 5.0);
        self::assertSame(\LARDER_CLAIM_VALUE, larder_claim('stale'), 'the load has left no claim');
        larder_unclaim('stale');
    }

    public function testExpiredEntriesAreNotLoaded(): void
    {
        $now = microtime(true);
        $writer = new DumpWriter($this->file, ['time' => $now]);
        $writer->add('expired', '1', false, $now - 1);
        $writer->add('valid', '1', false, $now + 600);
        $writer->finish();
        $counts = Dump::load($this->file, intoOlder: true);

        self::assertSame(['entries' => 1, 'there' => 0, 'expired' => 1, 'refused' => 0, 'skipped' => 0], $counts);
        self::assertSame([null, 1], [larder_fetch('expired'), larder_fetch('valid')]);
    }

    /** @return iterable<string, array{string}> */
    public static function caches(): iterable
    {
        yield 'the whole segment' => ['larder:'];
        yield 'a namespace' => ['larder:?namespace=shop'];
    }

    #[DataProvider('caches')]
    public function testTaggedValuesAndNamespacesSurvive(string $dsn): void
    {
        $cache = Cache::open($dsn);
        $long = str_repeat('x', 65_530);
        $cache->set('tagged', 'value', 60, ['post:7']);
        $cache->set($long, 'long');
        $this->carry();
        $cache = Cache::open($dsn);
        self::assertSame('value', $cache->get('tagged'));
        self::assertSame('long', $cache->get($long));
        $cache->invalidateTags(['post:7']);
        self::assertNull($cache->get('tagged'));
    }

    public function testNamespaceThatIsUsedAlreadyKeepsItsOwn(): void
    {
        $cache = Cache::open('larder:?namespace=shop');
        $cache->setMany(['old' => 1, 'both' => 1]);
        Dump::write($this->file);
        larder_clear();
        $cache = Cache::open('larder:?namespace=shop');
        $cache->set('both', 2);
        $counts = Dump::load($this->file, intoOlder: true);

        self::assertSame([1, 2], [$cache->get('old'), $cache->get('both')]);
        self::assertSame([1, 2], [$counts['entries'], $counts['there']], 'one of them is the version of the namespace');
    }

    public function testInvalidatedTagStaysInvalid(): void
    {
        $cache = Cache::open('larder:');
        $cache->set('tagged', 'old', 60, ['post:7']);
        Dump::write($this->file);
        $cache->clear();
        $cache->set('other', 'new', 60, ['post:7']);
        Dump::load($this->file, intoOlder: true);
        self::assertNull($cache->get('tagged'), 'its tag has another version now');
        self::assertSame('new', $cache->get('other'));
    }

    public function testLocksAndClaimsAndCopiesStay(): void
    {
        $cache = Cache::open('larder:');
        $lock = $cache->lock('k', 60);
        self::assertNotNull($lock);
        larder_claim('computed');
        larder_store("\0larder-copies:x", 1);
        larder_store("\0larder-changes", 1);
        larder_store('value', 1);
        self::assertSame(1, Dump::write($this->file)['entries']);
        $lock->release();
        larder_unclaim('computed');
    }

    public function testWhatClearHasLeftIsNotDumped(): void
    {
        $cache = Cache::open('larder:?namespace=shop');
        $cache->set('tagged', str_repeat('x', 65_000), 60, ['post:7']);
        $cache->set('old', 1);
        $cache->clear();
        self::assertGreaterThan(2, larder_info()['entries'], 'the control: they are in the segment');
        $cache->set('new', 1);
        self::assertSame(2, Dump::write($this->file)['entries'], 'a value, and the version of the namespace');
    }

    public function testOnlyKeysOfThePrefix(): void
    {
        larder_store('page:a', 1);
        larder_store('user:a', 1);
        $cache = Cache::open('larder:?namespace=shop');
        $cache->setMany(['page:b' => 1, 'user:b' => 1]);
        Dump::write($this->file, 'page:');
        larder_clear();
        Dump::load($this->file, intoOlder: true);
        self::assertSame([1, null], [larder_fetch('page:a'), larder_fetch('user:a')]);
        self::assertSame(['page:b' => 1, 'user:b' => null], $cache->getMany(['page:b', 'user:b']));
    }

    public function testDumpLeavesNoTrace(): void
    {
        larder_store('k', 1);
        $before = larder_info();
        Dump::write($this->file);
        $after = larder_info();
        self::assertSame([$before['hits'], $before['misses']], [$after['hits'], $after['misses']]);
        self::assertFalse(larder_key_info('k')['used'] ?? null);
    }

    public function testLoadsOnce(): void
    {
        larder_store('k', 1);
        Dump::write($this->file);
        Dump::load($this->file, intoOlder: true);
        self::assertFileExists("$this->file.loaded");
        $this->expectExceptionMessage("$this->file is no file.");
        Dump::load($this->file, intoOlder: true);
    }

    public function testOlderCacheOrDumpIsRefused(): void
    {
        larder_store('k', 1);
        Dump::write($this->file);
        $this->refused('is older than the cache, and would bring back what was deleted since');
        $this->refused('was written 0 s ago, and may be -1 s old at most', maxAge: -1.0, intoOlder: true);
        self::assertFileExists($this->file);
    }

    public function testFileThatOthersCanChangeIsRefused(): void
    {
        larder_store('k', 1);
        Dump::write($this->file);
        self::assertSame(0o600, fileperms($this->file) & 0o777);
        chmod($this->file, 0o666);
        $this->refused('is not loaded: ', intoOlder: true);
        unlink($this->file);
        symlink('/etc/hostname', $this->file);
        $this->refused('is no dump of this version', intoOlder: true);
    }

    public function testObjectWhoseClassMayNotBeCreatedIsSkipped(): void
    {
        larder_store('k', new \ArrayObject([1]));
        Dump::write($this->file);
        larder_clear();
        ini_set('larder.classes', 'stdClass');
        $counts = Dump::load($this->file, intoOlder: true);
        ini_set('larder.classes', '*');
        self::assertSame([0, 1], [$counts['entries'], $counts['skipped']]);
    }

    /** A bit changed, bytes lost, or bytes added: nothing is loaded. */
    public function testDamagedFileIsRefusedAsAWhole(): void
    {
        for ($i = 0; $i < 20; ++$i) {
            larder_store("k$i", str_repeat((string) $i, $i * 10));
        }
        Dump::write($this->file);
        larder_clear();
        $whole = (string) file_get_contents($this->file);
        $tries = getenv('LARDER_PROOF') === 'long' ? 100_000 : 1000;
        for ($try = 0; $try < $tries; ++$try) {
            $at = random_int(0, \strlen($whole) - 1);
            $damaged = match ($try % 3) {
                0 => substr_replace($whole, \chr(\ord($whole[$at]) ^ 1 << random_int(0, 7)), $at, 1),
                1 => substr($whole, 0, $at),
                default => substr($whole, 0, $at) . random_bytes(random_int(1, 40)) . substr($whole, $at),
            };
            file_put_contents($this->file, $damaged);

            try {
                Dump::load($this->file, intoOlder: true);
                self::fail('loaded: ' . bin2hex($damaged));
            } catch (DumpFailed) {
            }
        }
        self::assertSame(0, larder_info()['entries']);
        file_put_contents($this->file, $whole);
        self::assertSame(20, Dump::load($this->file, intoOlder: true)['entries'], 'the control');
    }

    public function testFullDiskLeavesTheOldDump(): void
    {
        larder_store('k', 1);
        $this->expectExceptionMessage('/dev/full/x cannot be created: ');
        Dump::write('/dev/full/x');
    }

    private function refused(string $why, float $maxAge = 3600.0, bool $intoOlder = false): void
    {
        try {
            Dump::load($this->file, $maxAge, $intoOlder);
            self::fail("loaded, and not refused: $why");
        } catch (DumpFailed $refused) {
            self::assertStringContainsString($why, $refused->getMessage());
        }
    }

    /** @return array{mixed, mixed, mixed} */
    private static function known(string $name): array
    {
        $entry = larder_fetch_entry($name);

        return [$entry['value'] ?? null, $entry['stale'] ?? null, $entry['cost'] ?? null];
    }

    private function carry(): void
    {
        $written = Dump::write($this->file);
        larder_clear();
        $loaded = Dump::load($this->file, intoOlder: true);
        self::assertSame($written['entries'], $loaded['entries']);
        self::assertSame(0, $written['skipped']);
    }
}
