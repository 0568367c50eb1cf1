<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** Objects in both tiers whose class changed or disappeared in a deployment: a miss, never an error. */
#[Group('waiting')]
final class UnreadableValueTest extends TestCase
{
    /** @return iterable<string, array{string, string, string}> local tier; the class before and after */
    public static function deployments(): iterable
    {
        foreach (['larder:', 'apcu:?namespace=tier', 'file://%s/local'] as $local) {
            yield "$local, a property's type" => [
                $local,
                'final class %s { public string $price = "ten"; }',
                'final class %s { public int $price = 10; }',
            ];
            yield "$local, an enum" => [$local, 'final class %s {}', 'enum %s { case A; }'];
            yield "$local, nothing" => [$local, 'final class %s {}', ''];
        }
    }

    #[DataProvider('deployments')]
    public function testUnreadableValueIsAMiss(string $local, string $before, string $after): void
    {
        $directory = Servers::directory('tier-unreadable');
        $address = \sprintf('tier:(%s)(file://%s/shared)?poll=0', \sprintf($local, $directory), $directory);
        $class = 'Deployed' . bin2hex(random_bytes(4));
        Fork::run(static function () use ($address, $before, $class): bool {
            eval(\sprintf($before, $class));
            $cache = Cache::open($address);
            $cache->set('k', new $class());
            $cache->set('list', [new $class()]);

            return $cache->get('k') instanceof $class && \is_array($cache->get('list'));
        });
        $found = Fork::run(static function () use ($address, $after, $class): array {
            eval(\sprintf($after, $class));
            $cache = Cache::open($address);

            return [
                $cache->get('k', 'none'), $cache->has('k'), $cache->getMany(['k', 'list'], 'none'),
                $cache->remember('k', 60, static fn(): string => 'new'), $cache->get('k'),
            ];
        });
        self::assertSame(['none', false, ['k' => 'none', 'list' => 'none'], 'new', 'new'], $found);
    }
}
