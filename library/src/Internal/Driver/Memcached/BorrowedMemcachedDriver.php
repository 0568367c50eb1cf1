<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\NotSupported;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\ClientDriver;

/** memcached servers through an object of the extension memcached that the application owns. */
final class BorrowedMemcachedDriver implements ClientDriver
{
    public function clients(): array
    {
        return [\Memcached::class];
    }

    public function scheme(): Scheme
    {
        return new Scheme('memcached', ['namespace', ...Scheme::CODEC_OPTIONS, 'on_failure'], isRemote: true);
    }

    public function over(BorrowedClient $client, Dsn $dsn, Opener $opener): Store
    {
        foreach (['sign', 'classes'] as $option) {
            if (isset($dsn->options[$option])) {
                throw new NotSupported(\sprintf(
                    'A cache over a Memcached object cannot have the option %s: '
                        . 'the extension unserializes what others have stored before anybody can check it. '
                        . 'Use the DSN memcached://host:port, which reads with Larder\'s own client',
                    $option,
                ));
            }
        }
        $store = new MemcachedStore(new BorrowedMemcached($client), $dsn->namespace(), $opener->codec($dsn));
        $there = $client->ifThere();
        if ($there instanceof \Memcached) {
            BorrowedMemcached::checkSettings($there);
        }

        return $opener->withOwnBreaker($store, $dsn);
    }
}
