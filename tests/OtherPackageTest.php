<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cache;
use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\ProjectTests\OtherPackage\PocketDriver;
use Larder\ProjectTests\OtherPackage\PocketStore;
use Larder\Testing\AssertsThrows;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunTestsInSeparateProcesses;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** A package outside of Larder adds a store. */
#[RunTestsInSeparateProcesses]
final class OtherPackageTest extends TestCase
{
    use AssertsThrows;

    public function testItsDsnOpensItsStore(): void
    {
        Drivers::register(new PocketDriver());
        $directory = new TemporaryDirectory();
        $cache = Cache::open("pocket://{$directory->path}/pocket");
        self::assertInstanceOf(PocketStore::class, $cache->store());
        self::assertTrue($cache->set('key', ['value'], 60));
        self::assertSame(['value'], Cache::open("POCKET://{$directory->path}/pocket")->get('key'));
        $cache->remember('page', 60, static fn(): string => 'computed', tags: ['tag']);
        self::assertSame('computed', $cache->get('page'));
        self::assertTrue($cache->invalidateTags(['tag']));
        self::assertNull($cache->get('page'));
    }

    public function testTheResolverExplainsIt(): void
    {
        Drivers::register(new PocketDriver());
        $directory = new TemporaryDirectory();
        [$candidate] = Cache::open("pocket://{$directory->path}/pocket")->explain();
        self::assertSame('pocket: chosen, the DSN names it (' . Drivers::variants()['pocket']->owner . ')', (string) $candidate);
    }

    public function testMessagesNameIt(): void
    {
        Drivers::register(new PocketDriver());
        $directory = new TemporaryDirectory();
        $refusal = self::assertThrows(NotSupported::class, static fn() => Cache::open("pocket://{$directory->path}/pocket")->lock('key', 1));
        self::assertStringStartsWith('The store ' . PocketStore::class . ' cannot lock. ', $refusal->getMessage());
        self::assertThrows(InvalidDsn::class, static fn() => Cache::open('mongodb:'), 'tier:, pocket:');
    }

    public function testDoctorTriesIt(): void
    {
        $directory = new TemporaryDirectory();
        $doctor = new Process([
            \PHP_BINARY, '-d', 'auto_prepend_file=' . __DIR__ . '/OtherPackage/register.php',
            \dirname(__DIR__) . '/cli/bin/larder', 'doctor', "pocket://{$directory->path}/mine",
        ], timeout: 300);
        $doctor->run();
        self::assertMatchesRegularExpression('~^  pocket     yes  shared by all processes of user ~m', $doctor->getOutput());
        self::assertMatchesRegularExpression("~^  pocket     yes  {$directory->path}/mine, shared by all processes of user ~m", $doctor->getOutput());
    }

    public function testCompareCanMeasureIt(): void
    {
        Drivers::register(new PocketDriver());
        self::assertContains('pocket', Catalog::names());
        $places = new StoreLocations();
        $targets = array_filter((new Catalog($places))->subjects('pocket'), static fn(object $target): bool => $target instanceof Target);
        self::assertSame(['pocket tmpfs', 'pocket disk'], array_map(static fn(Target $target): string => $target->name(), $targets));
        foreach ($targets as $target) {
            self::assertTrue(Cache::open($target->address)->set('key', 'value'));
        }
        $places->close();
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function unfit(): iterable
    {
        yield 'capitals' => ['Pocket', 'pocket', 'The scheme "Pocket" of ' . PocketDriver::class . ' is malformed'];
        yield 'a colon' => ['pocket:', 'pocket', 'The scheme "pocket:" of ' . PocketDriver::class . ' is malformed'];
        yield 'nothing' => ['', 'pocket', 'The scheme "" of ' . PocketDriver::class . ' is malformed'];
        yield 'a scheme of Larder' => ['redis', 'pocket', 'The scheme "redis" of ' . PocketDriver::class . ' is taken by Larder\Internal\Driver\Redis\RedisDriver'];
        yield 'a name of Larder' => ['pocket', 'mysql-memory', 'The store name "mysql-memory" of ' . PocketDriver::class . ' is taken by Larder\Internal\Driver\Legacy\MySqlMemory\MySqlMemoryStore'];
    }

    #[DataProvider('unfit')]
    public function testSchemesAndNamesThatAreMalformedOrTakenAreRefused(string $scheme, string $name, string $message): void
    {
        self::assertThrows(\InvalidArgumentException::class, static fn() => Drivers::register(new PocketDriver($scheme, $name)), $message);
    }

    public function testASchemeCannotBeRegisteredTwice(): void
    {
        Drivers::register(new PocketDriver());
        self::assertThrows(\InvalidArgumentException::class, static fn() => Drivers::register(new PocketDriver()), 'The scheme "pocket" of ' . PocketDriver::class . ' is taken by ' . PocketDriver::class);
    }
}
