<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Sharding;

use Larder\Cache;
use Larder\Internal\Key\ReservedKey;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** Tags with several servers, and with one of them stopped. */
#[Group('waiting')]
final class TagsTest extends TestCase
{
    #[DataProviderExternal(Servers::class, 'clients')]
    public function testTagMayBeOnAnotherServerThanItsValues(string $address): void
    {
        [$first, $second] = [Servers::another($address), Servers::another($address)];

        try {
            $both = Cache::open(\sprintf($address, $first->socket . ',' . $second->socket));
            $ofFirst = Cache::open(\sprintf($address, $first->socket))->store();
            $ofSecond = Cache::open(\sprintf($address, $second->socket))->store();
            $both->tagVersions(array_map(strval(...), range(0, 19)));
            $tags = array_filter(
                range(0, 19),
                static fn(int $tag): bool => $ofFirst->has(ReservedKey::tag((string) $tag)),
            );
            self::assertNotEmpty($tags);
            $tag = reset($tags);
            $both->setMany(
                array_fill_keys(array_map(static fn(int $n): string => "value $n", range(0, 19)), 'old'),
                tags: [$tag],
            );
            $keys = array_filter(
                array_map(static fn(int $n): string => "value $n", range(0, 19)),
                static fn(string $key): bool => $ofSecond->has($key),
            );
            self::assertNotEmpty($keys);
            $key = reset($keys);
            self::assertSame('old', $both->get($key));
            self::assertTrue($both->invalidateTags([$tag]));
            self::assertSame('-', $both->get($key, '-'));
            self::assertTrue($both->set($key, 'new', tags: [$tag]));
            self::assertSame('new', $both->get($key));

            $first->stop();
            self::assertSame('-', $both->get($key, '-'), 'whether it is out of date is not known');
            self::assertFalse($both->has($key));
            self::assertFalse($both->invalidateTags([$tag]));
            self::assertFalse($both->set($key, 'newer', tags: [$tag]));
            self::assertFalse($ofSecond->has($key), 'neither stored without its tag');
        } finally {
            $first->stop();
            $second->stop();
        }
    }
}
