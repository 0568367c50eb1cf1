<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Contract\Decorator;
use Larder\Contract\Store;
use Larder\Driver\None\NullStore;
use Larder\Testing\AllContracts;
use Larder\Testing\SimpleCacheContract;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Driver\MySql\MySqlInnoDbTest;
use Larder\Tests\Driver\MySql\MySqlMyIsamTest;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every store is held to every contract, by the same tests. */
final class ContractsTest extends TestCase
{
    /** Stores with more than one test class: one for each kind of table. */
    private const VARIANTS = ['MySql' => [MySqlInnoDbTest::class, MySqlMyIsamTest::class]];

    /** @return iterable<string, array{string, class-string}> */
    public static function contracts(): iterable
    {
        foreach (self::stores() as $store => $tests) {
            foreach ($tests as $test) {
                foreach (self::allContracts() as $contract) {
                    yield "$store, $test, $contract" => [$test, $contract];
                }
            }
        }
    }

    /** @param class-string $contract */
    #[DataProvider('contracts')]
    public function testStoreIsHeldToTheWholeContract(string $test, string $contract): void
    {
        self::assertTrue(class_exists($test), "$test is missing");
        self::assertTrue(is_subclass_of($test, DriverTestCase::class), "$test does not extend " . DriverTestCase::class);
        self::assertFalse((new \ReflectionClass($test))->isAbstract(), "$test is not run");
        self::assertSame([], self::replaced($test, $contract), 'these tests are not those of the contract');
        self::assertContains($test, array_column(TestedStore::all(), 'test'), 'tests over all stores leave it out');
    }

    public function testReplacedTestIsNoticed(): void
    {
        self::assertSame(['testSimpleCacheAcceptsAllowedKey'], self::replaced(WeakenedContract::class, SimpleCacheContract::class));
    }

    public function testNoTestOfAContractSkipsItself(): void
    {
        $contracts = self::allContracts();
        self::assertCount(9, $contracts);
        foreach ($contracts as $contract) {
            self::assertStringNotContainsString('markTest', (string) file_get_contents((string) (new \ReflectionClass($contract))->getFileName()), $contract);
            self::assertNotEmpty(self::testsOf($contract), $contract);
        }
    }

    public function testAllStoresAreFound(): void
    {
        $stores = self::stores();
        self::assertArrayHasKey('MySqlMemory', $stores);
        self::assertGreaterThanOrEqual(15, \count($stores));
        // NullStore keeps nothing, which is the opposite of the contracts: NullTest says what it does instead.
        self::assertArrayNotHasKey('Null', $stores);
    }

    /** @return array<string, list<string>> the test classes of each store of the library that keeps values itself */
    private static function stores(): array
    {
        $source = \dirname(__DIR__, 3) . '/library/src/Driver';
        $stores = [];
        foreach ([...(array) glob("$source/*/*Store.php"), ...(array) glob("$source/Legacy/*/*Store.php")] as $file) {
            $class = 'Larder\Driver' . strtr(substr((string) $file, \strlen($source), -\strlen('.php')), '/', '\\');
            $name = basename((string) $file, 'Store.php');
            if (is_a($class, Store::class, true) && $class !== NullStore::class && !is_a($class, Decorator::class, true) && !(new \ReflectionClass($class))->isAbstract()) {
                $stores[$name] = self::VARIANTS[$name] ?? [(string) preg_replace('/^Larder(.*)Store$/', 'Larder\Tests$1Test', $class)];
            }
        }

        return $stores;
    }

    /** @return list<class-string> */
    private static function allContracts(): array
    {
        return array_map(static fn(\ReflectionClass $contract): string => $contract->name, array_values((new \ReflectionClass(AllContracts::class))->getTraits()));
    }

    /**
     * @param class-string $contract
     * @return list<\ReflectionMethod>
     */
    private static function testsOf(string $contract): array
    {
        return array_values(array_filter((new \ReflectionClass($contract))->getMethods(), static fn(\ReflectionMethod $method): bool => str_starts_with($method->name, 'test')));
    }

    /**
     * @param class-string $contract
     * @return list<string> tests of the contract that a test class does not have, or has replaced
     */
    private static function replaced(string $test, string $contract): array
    {
        $replaced = [];
        foreach (self::testsOf($contract) as $method) {
            if (!method_exists($test, $method->name) || (new \ReflectionMethod($test, $method->name))->getFileName() !== $method->getFileName()) {
                $replaced[] = $method->name;
            }
        }

        return $replaced;
    }
}
