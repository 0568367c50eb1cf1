<?php

declare(strict_types=1);

namespace Larder\Tests\Types;

use Larder\Cache;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use Larder\Remember\Computation;

use function PHPStan\Testing\assertType;

/*
 * What PHPStan knows of what a cache gives. It is analysed, not run: by TypesTest, and with all else.
 */

/** @return array<string, list<float>> */
function prices(): array
{
    return ['apple' => [0.3, 0.35]];
}

function title(): ?string
{
    return random_int(0, 1) === 0 ? null : 'a title';
}

/** @var Cache $cache */
assertType('mixed', $cache->get('k'));
assertType('mixed', $cache->get('k', 7));
assertType('array<mixed>', $cache->getMany(['a', 'b']));
assertType('bool', $cache->has('k'));
assertType('bool', $cache->set('k', 1, ttl: 60));
assertType('bool', $cache->setMany(['a' => 1]));
assertType('bool', $cache->add('k', 1));
assertType('bool', $cache->delete('k'));
assertType('bool', $cache->deleteMany(['a']));
assertType('int|false', $cache->increment('n'));
assertType('int|false', $cache->decrement('n'));
assertType('bool', $cache->swap('n', 1, 2));
assertType('Larder\Lock\Lock|null', $cache->lock('k', 1));
assertType('bool|null', $cache->lock('k', 1)?->release());
assertType('iterable<string>', $cache->keys());
foreach ($cache->keys('prefix') as $key) {
    assertType('string', $key);
}
assertType('list<Larder\CandidateStore>', $cache->explain());
assertType('Larder\Cache', Cache::open('array:'));
assertType('int<0, 9>', $cache->remember('k', 60, static fn(): int => random_int(0, 9)));
assertType('string|null', $cache->remember('k', 60, title(...), stale: 60, tags: ['t']));
assertType('array<string, list<float>>', $cache->remember('k', 60, prices(...)));
assertType(
    'DateTimeImmutable',
    $cache->remember('k', 60, static function (Computation $computation): \DateTimeImmutable {
        assertType('Larder\Remember\Computation', $computation);

        return new \DateTimeImmutable();
    }),
);

$pool = new ItemPool($cache);
assertType('Larder\Psr\Item', $pool->getItem('k'));
assertType('Larder\Internal\Psr\Pairs<Larder\Psr\Item>', $pool->getItems(['a']));
foreach ($pool->getItems(['a']) as $key => $item) {
    assertType('string', $key);
    assertType('Larder\Psr\Item', $item);
}

$simple = new SimpleCache($cache);
assertType('mixed', $simple->get('k'));
assertType('array<string, mixed>', $simple->getMultiple(['a']));
