<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Cache;
use Larder\Contract\Decorator;
use Larder\Drivers;
use Larder\Testing\AllContracts;
use Larder\Testing\SimpleCacheContract;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every store of the registry is tested by every contract. */
final class ContractsTest extends TestCase
{
    /** @var array<string, list<class-string<DriverTestCase>>> */
    private static array $testClasses = [];

    /** @return iterable<string, array{string, class-string}> */
    public static function contracts(): iterable
    {
        foreach (self::stores() as $store) {
            foreach (self::allContracts() as $contract) {
                yield "$store, $contract" => [$store, $contract];
            }
        }
    }

    /** @param class-string $contract */
    #[DataProvider('contracts')]
    public function testStoreIsHeldToTheWholeContract(string $store, string $contract): void
    {
        $tests = self::testClasses()[$store] ?? [];
        self::assertNotSame([], $tests, "$store has no test class");
        foreach ($tests as $test) {
            self::assertSame([], self::replaced($test, $contract), 'these tests are not those of the contract');
        }
    }

    public function testReplacedTestIsNoticed(): void
    {
        self::assertSame(
            ['testSimpleCacheAcceptsAllowedKey'],
            self::replaced(WeakenedContract::class, SimpleCacheContract::class),
        );
    }

    public function testNoTestOfAContractSkipsItself(): void
    {
        $contracts = self::allContracts();
        self::assertCount(9, $contracts);
        foreach ($contracts as $contract) {
            self::assertStringNotContainsString(
                'markTest',
                (string) file_get_contents((string) (new \ReflectionClass($contract))->getFileName()),
                $contract,
            );
            self::assertNotEmpty(self::testsOf($contract), $contract);
        }
    }

    public function testEveryTestClassIsThatOfOneStore(): void
    {
        self::assertGreaterThanOrEqual(16, \count(self::stores()));
        self::assertEqualsCanonicalizing(
            array_column(TestedStore::all(), 'test'),
            array_unique(array_merge(...array_values(self::testClasses()))),
        );
    }

    /** @return list<string> all but the one that keeps nothing, which the contracts do not fit: see NullTest */
    private static function stores(): array
    {
        return array_values(array_diff(array_keys(Drivers::stores()), ['none']));
    }

    /**
     * @return array<string, list<class-string<DriverTestCase>>> by the name of the store that their DSN opens, with and
     *         without a namespace
     */
    private static function testClasses(): array
    {
        foreach (self::$testClasses === [] ? TestedStore::all() : [] as $tested) {
            $dsn = $tested->test::dsn('contracts');
            $opened = Cache::open($dsn)->store();
            while ($opened instanceof Decorator) {
                $opened = $opened->decorated();
            }
            foreach (Drivers::stores() as $name => $class) {
                $options = array_map(
                    static fn(string $option, string $value): string => "$option=$value",
                    array_keys(self::options($name)),
                    self::options($name),
                );
                if (
                    $opened::class === $class
                    && array_filter($options, static fn(string $option): bool => !str_contains($dsn, $option)) === []
                ) {
                    self::$testClasses[$name][] = $tested->test;
                }
            }
        }

        return self::$testClasses;
    }

    /** @return array<string, string> options of a DSN that opens this store */
    private static function options(string $store): array
    {
        return (Drivers::variants()[$store] ?? null)->options ?? [];
    }

    /** @return list<class-string> */
    private static function allContracts(): array
    {
        return array_map(
            static fn(\ReflectionClass $contract): string => $contract->name,
            array_values((new \ReflectionClass(AllContracts::class))->getTraits()),
        );
    }

    /**
     * @param class-string $contract
     * @return list<\ReflectionMethod>
     */
    private static function testsOf(string $contract): array
    {
        return array_values(array_filter(
            (new \ReflectionClass($contract))->getMethods(),
            static fn(\ReflectionMethod $method): bool => str_starts_with($method->name, 'test'),
        ));
    }

    /**
     * @param class-string $contract
     * @return list<string> tests of the contract that a test class lacks or replaces
     */
    private static function replaced(string $test, string $contract): array
    {
        $replaced = [];
        foreach (self::testsOf($contract) as $method) {
            if (
                !method_exists($test, $method->name)
                || (new \ReflectionMethod($test, $method->name))->getFileName() !== $method->getFileName()
            ) {
                $replaced[] = $method->name;
            }
        }

        return $replaced;
    }
}
