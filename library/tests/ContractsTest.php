<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Contract\Decorator;
use Larder\Contract\Store;
use Larder\Driver\None\NullStore;
use Larder\Testing\CapabilitiesContract;
use Larder\Testing\ItemPoolContract;
use Larder\Testing\NamespacesContract;
use Larder\Testing\RememberContract;
use Larder\Testing\SimpleCacheContract;
use Larder\Testing\StoreContract;
use Larder\Testing\TagsContract;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every store is held to the same contracts, by the same number of tests. */
final class ContractsTest extends TestCase
{
    /** A contract, and where its tests are: the name of the store stands between. */
    private const CONTRACTS = [
        StoreContract::class => 'Larder\Tests\Store\%sStoreTest',
        CapabilitiesContract::class => 'Larder\Tests\Capability\%sCapabilitiesTest',
        SimpleCacheContract::class => 'Larder\Tests\Psr\%sSimpleCacheTest',
        ItemPoolContract::class => 'Larder\Tests\Psr\%sItemPoolTest',
        RememberContract::class => 'Larder\Tests\Remember\%sRememberTest',
        TagsContract::class => 'Larder\Tests\Tags\%sTagsTest',
        NamespacesContract::class => 'Larder\Tests\Namespaces\%sNamespacesTest',
    ];

    /** Where one class serves several kinds of table. */
    private const VARIANTS = ['MySql' => ['MySqlInnoDb', 'MySqlMyIsam']];

    /** @return iterable<string, array{string, class-string<TestCase>}> */
    public static function contracts(): iterable
    {
        foreach (self::stores() as $store) {
            foreach (self::CONTRACTS as $contract => $test) {
                yield "$store, $contract" => [\sprintf($test, $store), $contract];
            }
        }
    }

    /** @param class-string<TestCase> $contract */
    #[DataProvider('contracts')]
    public function testAStoreIsHeldToTheWholeContract(string $test, string $contract): void
    {
        self::assertTrue(class_exists($test), "$test is missing");
        self::assertTrue(is_a($test, $contract, true), "$test does not extend $contract");
        self::assertSame([], self::changed($test, $contract), 'these tests of the contract are not the contract\'s own');
    }

    public function testAChangedTestIsNoticed(): void
    {
        self::assertSame(['testAllowedKey'], self::changed(ControlOfContracts::class, SimpleCacheContract::class));
    }

    public function testNoTestOfAContractSkipsItself(): void
    {
        foreach (array_keys(self::CONTRACTS) as $contract) {
            self::assertStringNotContainsString('markTest', (string) file_get_contents((string) (new \ReflectionClass($contract))->getFileName()), $contract);
        }
    }

    public function testTheStoresAreThoseOfTheLibrary(): void
    {
        self::assertContains('MySqlMemory', self::stores());
        self::assertGreaterThanOrEqual(16, \count(self::stores()));
        // NullStore keeps nothing, which is the opposite of the contracts: NullStoreTest says what it does instead.
        self::assertNotContains('Null', self::stores());
    }

    /** @return list<string> the names of the stores that keep values in a place of their own, as tests have them */
    private static function stores(): array
    {
        $names = [];
        foreach ((array) glob(\dirname(__DIR__) . '/src/Store/*Store.php') as $file) {
            $name = basename((string) $file, 'Store.php');
            $class = "Larder\\Store\\{$name}Store";
            // What stands before other stores is tested beside them.
            if ($name !== '' && is_a($class, Store::class, true) && $class !== NullStore::class && !is_a($class, Decorator::class, true)) {
                array_push($names, ...self::VARIANTS[$name] ?? [$name]);
            }
        }

        return $names;
    }

    /**
     * @param class-string $contract
     * @return list<string> tests of the contract that a test class has replaced
     */
    private static function changed(string $test, string $contract): array
    {
        $changed = [];
        foreach ((new \ReflectionClass($contract))->getMethods() as $method) {
            if (str_starts_with($method->name, 'test') && (new \ReflectionMethod($test, $method->name))->class !== $contract) {
                $changed[] = $method->name;
            }
        }

        return $changed;
    }
}
