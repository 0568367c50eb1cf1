<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Psr\ItemPool;
use Larder\Psr\TaggableItem;
use Larder\Psr\TaggablePool;
use Larder\Testing\Fork;
use Larder\Testing\StoreTestCase;

/**
 * What cache/tag-interop requires of TaggablePool over a store. Not one of the published contracts, which do not need
 * that package.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait TaggablePoolTests
{
    public function testTaggablePoolTellsTheTagsThatAnItemHad(): void
    {
        $pool = new TaggablePool($this->cache);
        foreach ([$pool->save(...), $pool->saveDeferred(...)] as $save) {
            $item = $pool->getItem('k')->set('value')->setTags(['replaced'])->setTags(['a', '7', 'a']);
            self::assertSame([], $item->getPreviousTags());
            self::assertTrue($save($item));
            self::assertSame([], $item->getPreviousTags());
            foreach (['before commit()', 'after it'] as $when) {
                $found = $pool->getItem('k')->setTags(['new']);
                self::assertSame(['a' => 'a', 7 => '7'], $found->getPreviousTags(), $when);
                self::assertSame(['value', true], [$found->get(), $found->isHit()]);
                $items = iterator_to_array($pool->getItems(['absent', 'k']));
                self::assertSame(
                    [[], ['a' => 'a', 7 => '7']],
                    array_values(array_map(static fn(TaggableItem $item): array => $item->getPreviousTags(), $items)),
                );
                self::assertSame(
                    [false, true],
                    array_values(array_map(static fn(TaggableItem $item): bool => $item->isHit(), $items)),
                );
                $pool->commit();
            }
            $pool->deleteItem('k');
        }
    }

    public function testTaggablePoolInvalidatesItemsByTag(): void
    {
        $pool = new TaggablePool($this->cache);
        $fill = static function () use ($pool): void {
            $pool->save($pool->getItem('a')->set(1)->setTags(['one', 'both']));
            $pool->saveDeferred($pool->getItem('b')->set(2)->setTags(['two', 'both']));
            $pool->saveDeferred($pool->getItem('c')->set(3)->setTags(['two', 'both'])->expiresAfter(600));
            $pool->saveDeferred($pool->getItem('plain')->set(4));
        };
        foreach ([
            [$pool->invalidateTag(...), 'one', ['b', 'c', 'plain']],
            [$pool->invalidateTag(...), 'two', ['a', 'plain']],
            [$pool->invalidateTag(...), 'both', ['plain']],
            [$pool->invalidateTags(...), ['one', 'absent'], ['b', 'c', 'plain']],
            [$pool->invalidateTags(...), ['one', 'two'], ['plain']],
            [$pool->invalidateTags(...), [], ['a', 'b', 'c', 'plain']],
        ] as [$invalidate, $tags, $stay]) {
            $fill();
            self::assertTrue($invalidate($tags));
            self::assertSame($stay, array_values(array_filter(['a', 'b', 'c', 'plain'], $pool->hasItem(...))));
            self::assertSame(
                $stay,
                array_values(array_filter(['a', 'b', 'c', 'plain'], (new ItemPool($this->cache))->hasItem(...))),
            );
        }
    }

    public function testTaggablePoolKeepsNoTagsThatWereNotSetAgain(): void
    {
        $pool = new TaggablePool($this->cache);
        $pool->save($pool->getItem('k')->set('old')->setTags(['tag']));
        $pool->save($pool->getItem('k')->set('new'));
        self::assertTrue($pool->invalidateTag('tag'));
        self::assertSame('new', $pool->getItem('k')->get());
        self::assertSame([], $pool->getItem('k')->getPreviousTags());
    }

    public function testTaggablePoolRefusesWrongTagsBeforeAnyChange(): void
    {
        $pool = new TaggablePool($this->cache);
        $pool->save($pool->getItem('k')->set('kept')->setTags(['tag']));
        foreach (['', 'a:b', '{', 7, null] as $wrong) {
            $item = $pool->getItem('k')->setTags(['tag']);
            $this->assertRefuses(static fn(): mixed => $item->setTags(['other', $wrong]));
            self::assertSame(['tag'], $item->tags());
            $this->assertRefuses(static fn(): mixed => $pool->invalidateTags(['tag', $wrong]));
        }
        $this->assertRefuses(static fn(): mixed => $pool->invalidateTag('a/b'));
        $this->assertRefuses(static fn(): mixed => $pool->getItem('a/b'));
        self::assertTrue($pool->hasItem('k'));
    }

    public function testForkedProcessInvalidatesWithoutCommittingItemsDeferredByItsParent(): void
    {
        $pool = new TaggablePool($this->cache);
        $pool->saveDeferred($pool->getItem('parent')->set('value')->setTags(['tag']));
        self::assertTrue(Fork::run(static fn(): bool => $pool->invalidateTag('tag')));
        self::assertFalse((new ItemPool($this->cache))->hasItem('parent'));
        self::assertTrue($pool->commit());
        self::assertTrue($pool->hasItem('parent'));
    }
}
