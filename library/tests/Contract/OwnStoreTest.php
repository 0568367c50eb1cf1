<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Cli\TemporaryDirectory;
use Larder\Codec\PhpCodec;
use Larder\Contract\Store;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;

/** The store that docs/adding-a-store.md shows keeps every contract. */
final class OwnStoreTest extends StoreTestCase
{
    use AllContracts;

    private const PAGE = __DIR__ . '/../../../docs/adding-a-store.md';

    private static ?TemporaryDirectory $directory = null;
    private static string $class = '';

    public static function setUpBeforeClass(): void
    {
        self::$directory = new TemporaryDirectory('/dev/shm'); // a disk may be busy for seconds
        // Without the driver, which would be registered for all other tests too.
        if (preg_match('~^```php\n(.*^final class (\w+) implements Store.*?^\}\n)~ms', (string) file_get_contents(self::PAGE), $block) !== 1) {
            self::fail(self::PAGE . ' shows no store');
        }
        eval($block[1]);
        self::$class = $block[2];
    }

    public static function tearDownAfterClass(): void
    {
        self::$directory = null;
    }

    protected function open(string $namespace): Store
    {
        $file = self::$directory?->path . '/cache.sqlite';
        $store = is_a(self::$class, Store::class, true) ? (new \ReflectionClass(self::$class))->newInstance($file, $namespace, new PhpCodec()) : null;
        self::assertInstanceOf(Store::class, $store);

        return $store;
    }
}
