<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\Codec\Planted;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Local copies of two programs of one user, one of which accepts fewer values than the other. */
final class StrictestReaderTest extends TestCase
{
    private const KEYS = 'LARDER_TESTS_STRICTEST_READER';
    private const OLD = 'an old signing key of 32 bytes, or more';
    private const NEW = 'a new signing key of 32 bytes, or more';

    private TemporaryDirectory $folder;
    private string $namespace;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
        $this->namespace = 'strict-' . bin2hex(random_bytes(4));
    }

    protected function tearDown(): void
    {
        putenv(self::KEYS);
    }

    /**
     * @return iterable<string, array{string, bool, string, string, string, string}> local tier; true if over a client;
     *         options and keys of the first reader, of the second
     */
    public static function readers(): iterable
    {
        foreach (['larder:', 'apcu:', 'file://%s'] as $local) {
            foreach ([false, true] as $isOver) {
                $name = $local . ($isOver ? ' over a client' : ' in a DSN');
                yield "$name, signed entries only" => [$local, $isOver, '', '', 'sign=env:' . self::KEYS, self::NEW];
                yield "$name, no objects" => [$local, $isOver, '', '', 'classes=none', ''];
                yield "$name, no objects of this class" => [
                    $local,
                    $isOver,
                    'classes=' . Planted::class,
                    '',
                    'classes=ArrayObject',
                    '',
                ];
                yield "$name, entries of a new key only" => [
                    $local,
                    $isOver,
                    'sign=env:' . self::KEYS,
                    self::OLD . "\n" . self::NEW,
                    'sign=env:' . self::KEYS,
                    self::NEW,
                ];
            }
        }
    }

    #[DataProvider('readers')]
    public function testCopySatisfiesEachReader(
        string $local,
        bool $isOver,
        string $options,
        string $keys,
        string $strictly,
        string $strictKeys,
    ): void {
        [$trusting, $alike] = [
            $this->tier($local, $isOver, $options, $keys),
            $this->tier($local, $isOver, $options, $keys),
        ];
        $strict = $this->tier($local, $isOver, $strictly, $strictKeys);
        $writer = Cache::open($this->shared(str_contains($options, 'sign=') ? $options : '', self::OLD));
        self::assertTrue($writer->set('k', new Planted()));
        self::assertInstanceOf(Planted::class, $trusting->get('k'));
        $made = Planted::$made;
        self::assertSame([null, ['k' => null], false, 'made'], [
            $strict->get('k'),
            $strict->getMany(['k']),
            $strict->has('k'),
            $strict->remember('other', 60, static fn(): string => 'made'),
        ]);
        self::assertSame($made, Planted::$made, 'no object was made');
        self::assertTrue($writer->delete('k'));
        self::assertInstanceOf(
            Planted::class,
            $alike->get('k'),
            'the control: readers that accept the same have copies in common',
        );
    }

    public function testReaderThatSeldomAsksKeepsNoOtherFromSeeingChanges(): void
    {
        [$seldom, $often] = [
            $this->tier('file://%s', false, '', '', '?poll=0'),
            $this->tier('file://%s', false, '', '', '?poll=0.02'),
        ];
        $otherHost = $this->tier('array:', false, '', '', '?poll=0.02');
        self::assertTrue($otherHost->set('k', 'old'));
        self::assertSame(['old', 'old'], [$seldom->get('k'), $often->get('k')]);
        self::assertTrue($otherHost->set('k', 'new'));
        self::assertTrue(Servers::await(static fn(): bool => $often->get('k') === 'new'));
        self::assertSame('old', $seldom->get('k'), 'the control: nobody tells it');
    }

    public function testCopyOfAReaderThatKeepsItForLongReachesNoOther(): void
    {
        [$long, $short] = [
            $this->tier('file://%s', false, '', '', '?poll=0&local_ttl=600'),
            $this->tier('file://%s', false, '', '', '?poll=0&local_ttl=5'),
        ];
        self::assertTrue($long->set('k', 'old'));
        self::assertTrue(Cache::open($this->shared('', ''))->set('k', 'new'));
        self::assertSame(['old', 'new'], [$long->get('k'), $short->get('k')]);
    }

    private function tier(string $local, bool $isOver, string $options, string $keys, string $ofTier = '?poll=0'): Cache
    {
        $local = \sprintf($local, $this->folder->path . '/copies');
        if (!$isOver) {
            return Cache::open(\sprintf('tier:(%s)(%s)%s', $local, $this->shared($options, $keys), $ofTier));
        }
        putenv(self::KEYS . '=' . strtr($keys, ' ', '-'));
        $client = new \Redis();
        $client->connect(Servers::redis()->socket);

        return Cache::over(
            $client,
            \sprintf(
                'namespace=%s&on_failure=throw&poll=0&%s',
                $this->namespace,
                $options === '' ? 'serializer=php' : $options,
            ),
            local: $local,
        );
    }

    private function shared(string $options, string $keys): string
    {
        putenv(self::KEYS . '=' . strtr($keys, ' ', '-'));

        return \sprintf(
            'redis://%s?namespace=%s&on_failure=throw%s&%s',
            Servers::redis()->socket,
            $this->namespace,
            Servers::PATIENTLY,
            $options === '' ? 'client=phpredis' : $options,
        );
    }
}
