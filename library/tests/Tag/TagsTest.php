<?php

declare(strict_types=1);

namespace Larder\Tests\Tag;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Tag\Tags;
use Larder\Tag\TagVersions;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

#[Group('waiting')]
final class TagsTest extends TestCase
{
    public function testTaggedReadTakesOneExtraCall(): void
    {
        $store = new RecordingStore();
        $cache = new Cache($store);
        $cache->set('plain', 1);
        $cache->set('one', 1, tags: ['a']);
        $cache->set('two', 1, tags: ['a', 'b']);
        $cache->setMany(['three' => 1, 'four' => 1], tags: ['b', 'c']);
        [$a, $b, $c] = array_map(ReservedKey::tag(...), ['a', 'b', 'c']);
        self::assertSame(['get plain'], self::calls($store, static fn(): mixed => $cache->get('plain')));
        self::assertSame(['get none'], self::calls($store, static fn(): mixed => $cache->get('none')));
        self::assertSame(['get one', "get $a"], self::calls($store, static fn(): mixed => $cache->get('one')));
        self::assertSame(['get two', "getMany $a $b"], self::calls($store, static fn(): mixed => $cache->get('two')));
        self::assertSame(
            ['getMany plain none'],
            self::calls($store, static fn(): mixed => $cache->getMany(['plain', 'none'])),
        );
        self::assertSame(
            ['getMany plain one two three four', "getMany $a $b $c"],
            self::calls($store, static fn(): mixed => $cache->getMany(['plain', 'one', 'two', 'three', 'four'])),
        );
        self::assertSame(
            ["getMany $a $b", 'setMany five'],
            self::calls($store, static fn(): mixed => $cache->set('five', 1, tags: ['a', 'b'])),
        );
        self::assertSame(
            ["deleteMany $a $b"],
            self::calls($store, static fn(): mixed => $cache->invalidateTags(['a', 'b'])),
        );
    }

    public function testNothingIsStoredWithoutATagVersion(): void
    {
        $store = new RecordingStore();
        $cache = new Cache($store);
        $cache->setMany(['k' => 'old', 'l' => 'old']);
        $store->refusesTagVersions = true;
        self::assertNull($cache->tagVersions(['tag'])->byTag);
        self::assertFalse($cache->set('k', 'new', tags: ['tag']));
        self::assertFalse($cache->setMany(['l' => 'new'], tags: ['tag']));
        self::assertFalse($cache->set('m', 'new', tags: $cache->tagVersions(['tag'])));
        self::assertSame(['k' => '-', 'l' => '-', 'm' => '-'], $cache->getMany(['k', 'l', 'm'], '-'));
    }

    public function testAddedValueHasTags(): void
    {
        $cache = Cache::open('array:');
        self::assertTrue($cache->add('k', 'first', tags: ['a', 'b']));
        self::assertFalse($cache->add('k', 'second', tags: ['c']));
        self::assertTrue($cache->invalidateTags(['b']));
        self::assertNull($cache->get('k'));
        self::assertTrue($cache->add('k', 'third', 60, $cache->tagVersions(['a'])));
        self::assertSame('third', $cache->get('k'));
        self::assertFalse($cache->add('l', 'refused', tags: new TagVersions(null)));
        self::assertNull($cache->get('l'));
    }

    public function testEmptyTagListStoresAPlainValue(): void
    {
        $store = new RecordingStore();
        $cache = new Cache($store);
        self::assertTrue($cache->set('k', 'value', tags: $cache->tagVersions([])));
        self::assertSame(['get k'], self::calls($store, static fn(): mixed => $cache->get('k')));
        self::assertTrue((new Tags($store))->areCurrent([]));
    }

    public function testCallersArrayIsNotMistakenForTags(): void
    {
        $cache = new Cache(new ArrayStore());
        $mine = ["\0larder" => [0.0, 0.0, ['tag' => 1]], 0 => 'mine'];
        $cache->set('k', $mine, tags: ['tag']);
        self::assertSame($mine, $cache->get('k'));
        $cache->invalidateTags(['tag']);
        self::assertNull($cache->get('k'));
        self::assertSame($mine, $cache->get('k', $mine));
    }

    public function testInvalidTagVersionIsIgnored(): void
    {
        $store = new ArrayStore();
        $cache = new Cache($store);
        $store->set(ReservedKey::tag('tag'), 'of somebody else');
        self::assertFalse($cache->set('k', 'value', tags: ['tag']));
        self::assertTrue($cache->invalidateTags(['tag']));
        self::assertTrue($cache->set('k', 'value', tags: ['tag']));
    }

    /** The control of TagsContract's lost tag versions: a store that reuses a version serves the old value. */
    public function testReusedTagVersionServesOldValues(): void
    {
        self::assertSame('-', self::servedAfterALoss(new ArrayStore()));
        self::assertSame('old', self::servedAfterALoss(new ForgetfulStore(countsFromOne: false)));
        self::assertSame('old', self::servedAfterALoss(new ForgetfulStore(countsFromOne: true)));
    }

    private static function servedAfterALoss(Store $store): mixed
    {
        $cache = new Cache($store);
        $cache->set('k', 'old', tags: ['tag']);
        self::assertSame('old', $cache->get('k'));
        $store->delete(ReservedKey::tag('tag'));
        $cache->set('other', 'new', tags: ['tag']);

        return $cache->get('k', '-');
    }

    /**
     * @param \Closure(): mixed $work
     * @return list<string>
     */
    private static function calls(RecordingStore $store, \Closure $work): array
    {
        $store->calls = [];
        $work();

        return $store->calls;
    }
}
