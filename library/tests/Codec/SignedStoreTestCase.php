<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\AtomicContract;
use Larder\Testing\CapabilitiesContract;
use Larder\Testing\LockContract;
use Larder\Testing\StoreContract;
use Larder\Testing\StoreTestCase;

/** Stores with all features of a codec at once: another serializer, compression and a signature. */
abstract class SignedStoreTestCase extends StoreTestCase
{
    use AtomicContract;
    use CapabilitiesContract;
    use LockContract;
    use StoreContract;

    private const ENVIRONMENT = 'LARDER_TESTS_SIGNED_STORE';

    /** A DSN without options. */
    abstract protected static function dsn(): string;

    protected function open(string $namespace): Store
    {
        putenv(self::ENVIRONMENT . '=' . str_replace(' ', '-', Codecs::KEY));

        return Cache::open(
            static::dsn() . "?namespace=$namespace&serializer=igbinary&compress=zlib&compress_from=100&sign=env:"
                . self::ENVIRONMENT,
        )->store();
    }
}
