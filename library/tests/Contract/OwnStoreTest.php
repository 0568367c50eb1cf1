<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Store;
use Larder\Internal\Codec\PhpCodec;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;

/** The store in docs/examples keeps every contract. */
final class OwnStoreTest extends StoreTestCase
{
    use AllContracts;

    private const EXAMPLE = __DIR__ . '/../../../docs/examples/table-store.php';

    private static ?TemporaryDirectory $directory = null;
    private static string $class = '';

    public static function setUpBeforeClass(): void
    {
        self::$directory = new TemporaryDirectory('/dev/shm'); // a disk may be busy for seconds
        // Without the driver, which would stay registered for all other tests.
        if (preg_match(
            '~^(use .*^final class (\w+) implements Store.*?^\}\n)~ms',
            (string) file_get_contents(self::EXAMPLE),
            $block,
        ) !== 1) {
            self::fail(self::EXAMPLE . ' has no store');
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
        $store = is_a(self::$class, Store::class, true)
            ? (new \ReflectionClass(self::$class))->newInstance($file, $namespace, new PhpCodec())
            : null;
        self::assertInstanceOf(Store::class, $store);

        return $store;
    }
}
