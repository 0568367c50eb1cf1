<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Tests\Servers;

/** Stores with all that a codec can do at once: another serializer, compression and a signature. */
final class SigningPlace
{
    private const ENVIRONMENT = 'LARDER_TESTS_SIGNING_PLACE';
    private const OPTIONS = 'serializer=igbinary&compress=zlib&compress_from=100&sign=env:' . self::ENVIRONMENT;

    public static function file(string $namespace): Store
    {
        return self::open('file://' . Servers::directory('signing-files'), $namespace);
    }

    public static function redis(string $namespace): Store
    {
        return self::open('redis://' . Servers::redis()->socket, $namespace);
    }

    private static function open(string $address, string $namespace): Store
    {
        putenv(self::ENVIRONMENT . '=' . str_replace(' ', '-', Codecs::KEY));

        return Cache::open("$address?namespace=$namespace&" . self::OPTIONS)->store();
    }
}
