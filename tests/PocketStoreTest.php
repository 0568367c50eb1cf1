<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Store;
use Larder\ProjectTests\OtherPackage\PocketStore;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;

/** A store without any capability fulfils the contracts too, as far as they need none. */
final class PocketStoreTest extends StoreTestCase
{
    use AllContracts;

    private static ?TemporaryDirectory $directory = null;

    public static function tearDownAfterClass(): void
    {
        self::$directory = null;
    }

    protected function open(string $namespace): Store
    {
        self::$directory ??= new TemporaryDirectory('/dev/shm');

        return new PocketStore(self::$directory->path . '/pocket');
    }

    protected function capabilities(): array
    {
        return [];
    }

    protected function hasNamespaces(): bool
    {
        return false;
    }
}
