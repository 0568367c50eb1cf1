<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Sampling;

use Larder\Cache;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Decorator\Sampling\Recording;
use Larder\Internal\Decorator\Sampling\RecordingFile;
use Larder\Internal\Decorator\Sampling\SamplingStore;
use Larder\Internal\Decorator\Sampling\ValueSize;
use Larder\Testing\Fork;
use Larder\Tests\OtherUser;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class SamplingStoreTest extends TestCase
{
    /** An unused user id, so that its folders in /dev/shm do not affect others. */
    private const UNUSED = 54_322;

    private RecordingFile $file;

    protected function setUp(): void
    {
        $this->file = RecordingFile::in(Servers::directory('recording'));
        $this->file->remove();
    }

    protected function tearDown(): void
    {
        exec('rm -rf /dev/shm/larder-sample-' . self::UNUSED . ' /dev/shm/larder-sample-' . self::UNUSED . '-*');
    }

    public function testEveryOperationIsCountedByWhatItIs(): void
    {
        $store = new SamplingStore(new ArrayStore(), 1, $this->file);
        $store->set('a', str_repeat('x', 100));
        $store->setMany(['b' => [], '7' => str_repeat('x', 127)]);
        $store->get('a');
        self::assertSame('default', $store->get('nothing', 'default'));
        self::assertSame(
            ['a' => str_repeat('x', 100), 'none' => null, 7 => str_repeat('x', 127)],
            $store->getMany(['a', 'none', '7']),
        );
        $store->add('c', str_repeat('x', 128));
        $token = ($store->getWithToken('c') ?? self::fail('no token'))[1];
        self::assertNull($store->getWithToken('none'));
        self::assertTrue($store->setIfToken('c', $token, str_repeat('x', 128)));
        $store->increment('n');
        $store->delete('a');
        self::assertSame([], $this->file->read()->counts, 'nothing is written before the end of the request');
        $store->reset();
        $recording = $this->file->read();
        self::assertEquals([
            'write string 7' => 2.0, 'write other 4' => 1.0, 'hit string 7' => 3.0, 'miss' => 3.0,
            'write string 8' => 2.0, 'hit string 8' => 1.0, 'write other 3' => 1.0,
        ], $recording->counts);
        self::assertSame([1.0, 13], [$recording->requests, $recording->samples]);
        self::assertEqualsWithDelta(microtime(true), $recording->until, 10.0);
    }

    /**
     * Of 3,000 requests, 6,000 operations of one kind and 3,000 of another: 900 samples, so ±20 % is six standard
     * deviations.
     */
    #[TestWith([1])]
    #[TestWith([3])]
    public function testSamplesShowWhatWasDone(int $requestsOfAProcess): void
    {
        $inner = Cache::open('file://' . Servers::directory('sampled-files'))->store();
        $inner->set('k', str_repeat('x', 1000));
        for ($i = 0; $i < 3000; $i += $requestsOfAProcess) {
            $store = new SamplingStore($inner, 10, $this->file);
            for ($request = 0; $request < $requestsOfAProcess; ++$request) {
                $store->getMany(['k', 'k']);
                $store->set('other', [1, 2, 3]);
                $store->reset();
            }
            unset($store);
        }
        $recording = $this->file->read();
        self::assertEqualsWithDelta(6000, $recording->counts['hit string 10'], 1500);
        self::assertEqualsWithDelta(3000, $recording->counts['write other 6'], 1000);
        self::assertEqualsWithDelta(3000, $recording->requests, 1000);
        self::assertCount(2, $recording->counts);
    }

    /**
     * Several tries: a sample is lost if the file stays locked for a millisecond, for example by a process that stands
     * still.
     */
    public function testProcessesAddUp(): void
    {
        $count = 0;
        for ($tries = 0; $count <= 150 && $tries < 10; ++$tries) {
            $this->file->remove();
            $forks = [];
            for ($i = 0; $i < 8; ++$i) {
                $forks[] = Fork::start(function (): void {
                    for ($request = 0; $request < 25; ++$request) {
                        $own = new SamplingStore(new ArrayStore(), 1, $this->file);
                        $own->get('a');
                        unset($own);
                        usleep(2000);
                    }
                });
            }
            array_map(static fn(Fork $fork): mixed => $fork->result(), $forks);
            $count = $this->file->read()->counts['miss'];
            self::assertLessThanOrEqual(200.0, $count);
        }
        self::assertGreaterThan(150.0, $count);
    }

    public function testForkDoesNotCountAgainWhatItsParentDid(): void
    {
        $store = new SamplingStore(new ArrayStore(), 1, $this->file);
        $store->get('a');
        Fork::run($store->reset(...));
        self::assertSame(0, $this->file->read()->samples);
        Fork::run(static function () use ($store): void {
            $store->get('b');
            $store->reset();
        });
        self::assertSame(1, $this->file->read()->samples);
        $store->reset();
        self::assertSame([2, ['miss' => 2.0]], [$this->file->read()->samples, $this->file->read()->counts]);
    }

    public function testLockedFileIsNotWaitedFor(): void
    {
        $handle = fopen($this->file->path, 'c+');
        self::assertIsResource($handle);
        flock($handle, \LOCK_EX);
        self::assertFalse($this->file->change(static fn(Recording $recording): Recording => $recording));
        fclose($handle);
        self::assertTrue($this->file->change(
            static fn(Recording $recording): Recording => $recording->with(['miss' => 1], 10, 1.0),
        ));
        self::assertSame(['miss' => 10.0], $this->file->read()->counts);
    }

    #[TestWith(['{"format":1,"sin'])]
    #[TestWith(['{"format":2,"since":1.0,"until":1.0,"requests":1.0,"samples":1,"counts":{}}'])]
    #[TestWith(['{"format":1,"since":1.0,"until":1.0,"requests":1.0,"samples":1,"counts":{"hit string 99":1.0}}'])]
    #[TestWith(["\0\0\0\0"])]
    #[TestWith(['{"format":1,"since":1.0,"until":1.0,"requests":1e999,"samples":1,"counts":{}}'])]
    #[TestWith(['{"format":1,"since":1.0,"until":1.0,"requests":1.0,"samples":9223372036854775807,"counts":{}}'])]
    #[TestWith(['{"format":1,"since":1.0,"until":1.0,"requests":1.0,"samples":1,"counts":{"miss":1e308}}'])]
    #[TestWith(['{"format":1,"since":1.0,"until":1.0,"requests":1.0,"samples":1,"counts":{"miss":-1.0}}'])]
    public function testDamagedFileIsReplaced(string $content): void
    {
        file_put_contents($this->file->path, $content);
        self::assertSame(0, $this->file->read()->samples);
        self::assertTrue($this->file->change(
            static fn(Recording $recording): Recording => $recording->with(['miss' => 3], 1, 1.0),
        ));
        self::assertSame(['miss' => 3.0], $this->file->read()->counts);
    }

    public function testLargeFileIsNotReadIntoMemory(): void
    {
        $handle = fopen($this->file->path, 'w');
        self::assertIsResource($handle);
        ftruncate($handle, 1 << 33);
        fclose($handle);
        self::assertTrue($this->file->change(
            static fn(Recording $recording): Recording => $recording->with(['miss' => 3], 1, 1.0),
        ));
        self::assertSame(['miss' => 3.0], $this->file->read()->counts);
    }

    public function testPipeInItsPlaceIsNotWaitedFor(): void
    {
        posix_mkfifo($this->file->path, 0o600);
        self::assertFalse($this->file->change(static fn(Recording $recording): Recording => $recording));
        self::assertSame(0, $this->file->read()->samples);
    }

    public function testFileHasABound(): void
    {
        $samples = ['miss' => 1_000_000];
        foreach (['hit', 'write'] as $operation) {
            foreach (['string', 'other'] as $type) {
                for ($bin = 0; $bin < 64; ++$bin) {
                    $samples["$operation $type $bin"] = 1_000_000 + $bin;
                }
            }
        }
        $this->file->change(static fn(Recording $recording): Recording => $recording->with($samples, 999_999, 1e15));
        self::assertNotSame([], $this->file->read()->counts, 'a file with every kind of sample can be read');
    }

    public function testNeighbourCannotTakeTheFile(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It takes root to be several users');
        }
        $squatted = '/dev/shm/larder-sample-' . self::UNUSED;
        $other = Servers::directory('of-the-neighbour');
        symlink($other, $squatted);
        lchown($squatted, OtherUser::STRANGER);
        OtherUser::letThrough($other);
        chmod($other, 0o777);
        $code = '$c = new Larder\Cache(new Larder\Internal\Decorator\Sampling\SamplingStore(new '
            . 'Larder\Driver\Memory\ArrayStore(), 1)); $c->set("k", 1);';
        OtherUser::run(self::UNUSED, $code);
        $read = 'echo json_encode(Larder\Internal\Decorator\Sampling\RecordingFile::ofThisUser()->read()->counts);';
        self::assertSame('{"write other 3":1}', OtherUser::run(self::UNUSED, $read));
        self::assertSame([], glob($other . '/*'));
        $made = (array) glob($squatted . '-*');
        self::assertCount(1, $made);
        self::assertSame('700', decoct((int) fileperms((string) $made[0]) & 0o777));
    }

    public function testOptionTurnsSamplingOn(): void
    {
        self::assertInstanceOf(ArrayStore::class, Cache::open('array:')->store());
        $cache = Cache::open('array:?sample=1000');
        self::assertInstanceOf(SamplingStore::class, $cache->store());
        self::assertTrue($cache->set('k', 1));
        self::assertSame(1, $cache->get('k'));
        self::assertSame('array: chosen, the DSN names it', (string) $cache->explain()[0]);
        self::assertSame(
            'tier: chosen, the DSN names it: copies',
            substr((string) Cache::open('tier:(array:)(array:)?sample=10')->explain()[0], 0, 38),
        );
    }

    #[TestWith(['array:?sample=0', 'has a value for the option sample that is not a number from 1 to 1000000'])]
    #[TestWith(['array:?sample=often', 'has a value for the option sample that is not a number from 1 to 1000000'])]
    #[TestWith([
        'tier:(array:?sample=10)(array:)',
        'has the option sample inside of a tier: DSN: write it after the last parenthesis',
    ])]
    public function testInvalidOptionIsNamed(string $dsn, string $message): void
    {
        $this->expectException(InvalidDsn::class);
        $this->expectExceptionMessage($message);
        Cache::open($dsn);
    }

    public function testProgramThatEndsWritesItsSamples(): void
    {
        $code = \sprintf(
            '$c = new Larder\Cache(new Larder\Internal\Decorator\Sampling\SamplingStore(new '
                . 'Larder\Driver\Memory\ArrayStore(), 1, Larder\Internal\Decorator\Sampling\RecordingFile::in(%s))); '
                . '$c->get("k"); exit(1);',
            var_export(Servers::directory('recording'), true),
        );
        self::assertSame('', PhpProcess::run($code));
        self::assertSame(['miss' => 1.0], $this->file->read()->counts);
    }

    public function testSizeIsThatOfTheSerializedValue(): void
    {
        $table = array_fill(0, 50, array_fill(0, 50, 42));
        $row = (object) ['id' => 7, 'name' => 'Ada', 'price' => 12.5, 'tags' => ['a', 'b']];
        foreach ([$table, $row, [$row], null, 1, 1.5, [[[]]], array_fill(0, 20_000, str_repeat('x', 30))] as $value) {
            self::assertEqualsWithDelta(
                \strlen(serialize($value)),
                ValueSize::of($value),
                max(16, 0.4 * \strlen(serialize($value))),
            );
        }
        self::assertSame(300, ValueSize::of(str_repeat('x', 300)));
        $circle = [1];
        $circle[] = &$circle;
        self::assertGreaterThan(0, ValueSize::of($circle));
        self::assertSame([0, 1, 7, 7, 8], array_map(Recording::bin(...), [0, 1, 64, 127, 128]));
    }

    public function testObjectsAreNotCalled(): void
    {
        $object = new class {
            public string $text = 'text';

            /** @return never */
            public function __serialize(): array
            {
                throw new \LogicException('called');
            }
        };
        self::assertGreaterThan(4, ValueSize::of([$object]));
    }
}
