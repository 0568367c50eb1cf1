<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\Tests\PhpProcess;
use Larder\WordPress\Backend;
use Larder\WordPress\Backend\Engine;
use Larder\WordPress\ObjectCache\Epoch;
use Larder\WordPress\ObjectCache\ObjectCache;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/functions.php';
require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/Refusing.php';

enum Part
{
    case First;
}

/** What lab/wordpress/prove shows with WordPress itself is not here. Two objects are two requests. */
final class ObjectCacheTest extends TestCase
{
    private string $prefix;

    protected function setUp(): void
    {
        Calls::reset();
        unset($GLOBALS['wpdb']);
        $this->prefix = bin2hex(random_bytes(4)) . ':';
    }

    private function request(?Backend $backend = null): ObjectCache
    {
        Calls::$hooks = [];
        $backend ??= new Engine();

        return new ObjectCache($backend, new Epoch($backend, $this->prefix), $this->prefix);
    }

    /** @return list<array{mixed}> */
    public static function values(): array
    {
        return [
            [null], [false], [0], [''], ['text'], [[1, 'a' => [null]]], [1.5], [new \ArrayObject([1])],
            [(object) ['a' => (object) ['b' => 1]]],
        ];
    }

    #[DataProvider('values')]
    public function testAValueIsFoundInThisRequestAndInTheNext(mixed $value): void
    {
        $cache = $this->request();
        self::assertFalse($cache->get('k', 'g', false, $found));
        self::assertFalse($found);
        self::assertTrue($cache->set('k', $value, 'g'));
        foreach ([$cache, $this->request()] as $request) {
            self::assertEquals($value, $request->get('k', 'g', false, $found));
            self::assertTrue($found);
            self::assertEquals(['k' => $value, 'none' => false], $request->get_multiple(['k', 'none'], 'g'));
        }
    }

    public function testCallersHaveObjectsOfTheirOwn(): void
    {
        $cache = $this->request();
        $object = (object) ['a' => 1];
        $cache->set('k', $object);
        $object->a = 2;
        $got = $cache->get('k');
        self::assertInstanceOf(\stdClass::class, $got);
        self::assertSame(1, $got->a);
        $got->a = 3;
        self::assertEquals((object) ['a' => 1], $cache->get('k'));
        self::assertEquals(['k' => (object) ['a' => 1]], $cache->get_multiple(['k']));
    }

    public function testAnyValueCanBeSet(): void
    {
        $cache = $this->request();
        $refuses = new class {
            public function __clone()
            {
                throw new \LogicException('no');
            }
        };
        foreach ([static fn(): int => 1, (static fn() => yield 1)(), opendir(__DIR__)] as $value) {
            $cache->set('k', 'older');
            self::assertTrue($cache->set('k', $value));
            self::assertSame(get_debug_type($value), get_debug_type($cache->get('k')));
            self::assertFalse($this->request()->get('k'));
        }
        foreach ([$refuses, Part::First] as $value) {
            self::assertTrue($cache->set('k', $value));
            self::assertSame($value, $cache->get('k'));
        }
    }

    public function testAddAndReplaceAskTheOtherRequests(): void
    {
        $cache = $this->request();
        $other = $this->request();
        self::assertFalse($cache->replace('k', 1));
        self::assertTrue($cache->add('k', 1));
        self::assertFalse($cache->add('k', 2));
        self::assertFalse($other->add('k', 3));
        self::assertSame(1, $other->get('k'));
        self::assertTrue($other->replace('k', 4));
        self::assertSame(1, $cache->get('k'));
        self::assertSame(4, $cache->get('k', force: true));
        Calls::$isAdditionSuspended = true;
        self::assertFalse($cache->add('new', 1));
    }

    public function testDeletingIsSeenByTheNextRequest(): void
    {
        $cache = $this->request();
        $cache->set_multiple(['a' => 1, 'b' => 2]);
        self::assertSame(['a' => true, 'none' => false], $cache->delete_multiple(['a', 'none']));
        self::assertFalse($cache->get('a'));
        self::assertSame(['a' => false, 'b' => 2], $this->request()->get_multiple(['a', 'b']));
        self::assertTrue($this->request()->delete('b'));
    }

    public function testNumbersAreCountedTogetherAndNotBelowZero(): void
    {
        $cache = $this->request();
        $other = $this->request();
        self::assertFalse($cache->incr('n'));
        $cache->set('n', 1);
        self::assertSame(3, $cache->incr('n', 2));
        self::assertSame(4, $other->incr('n'));
        self::assertSame(5, $cache->incr('n'));
        self::assertSame(0, $cache->decr('n', 9));
        self::assertSame(0, $this->request()->get('n'));
        $cache->set('n', 'text');
        self::assertSame(1, $cache->incr('n'));
    }

    public function testFlushesReachEverybodyFromTheNextRequestOn(): void
    {
        $cache = $this->request();
        $cache->set('k', 1, 'one');
        $cache->set('k', 2, 'two');
        $cache->flush_runtime();
        self::assertSame([], $cache->values);
        self::assertSame(1, $cache->get('k', 'one'));
        self::assertTrue($cache->flush_group('one'));
        self::assertFalse($cache->get('k', 'one'));
        self::assertFalse($this->request()->get('k', 'one'));
        self::assertSame(2, $this->request()->get('k', 'two'));
        self::assertTrue($cache->flush());
        self::assertFalse($this->request()->get('k', 'two'));
    }

    public function testEmptyingTheMemberOfCoreForgetsWhatThisRequestKnows(): void
    {
        $cache = $this->request();
        $cache->set('k', 'old');
        $this->request()->set('k', 'new');
        self::assertTrue(isset($cache->cache));
        self::assertFalse($cache->__isset('stats'));
        self::assertSame('old', $cache->get('k'));
        $cache->cache = [];
        self::assertSame([], $cache->values);
        self::assertSame('new', $cache->get('k'));
    }

    public function testAnExpiryEnds(): void
    {
        $cache = $this->request();
        $cache->set('k', 1, '', 1);
        $cache->set('past', 1, '', -5);
        $cache->set('text', 1, '', '3600');
        $found = $this->request()->get_multiple(['k', 'past', 'text']);
        self::assertSame(['k' => 1, 'past' => false, 'text' => 1], $found);
        usleep(1_100_000);
        self::assertFalse($this->request()->get('k'));
    }

    public function testKeysAreIntegersOrTexts(): void
    {
        $cache = $this->request();
        $long = str_repeat('k', 100_000);
        self::assertTrue($cache->set(7, 'seven'));
        self::assertSame('seven', $this->request()->get('7'));
        self::assertTrue($cache->set($long, 'long', $long));
        self::assertSame('long', $this->request()->get($long, $long));
        self::assertSame([], Calls::$wrong);
        foreach (['', ' ', null, 1.5, [], true] as $count => $key) {
            self::assertFalse($cache->set($key, 1));
            self::assertSame($count + 1, Calls::countWrong());
        }
        self::assertSame('default', array_key_first($cache->values));
        self::assertSame('seven', $cache->get(7, ''));
    }

    public function testBlogsHaveValuesOfTheirOwn(): void
    {
        Calls::$isMultisite = true;
        $cache = $this->request();
        $cache->add_global_groups(['users', 'sites']);
        $cache->add_non_persistent_groups('counts');
        $cache->set('k', 'one');
        $cache->set('u', 'user', 'users');
        $cache->set('c', 'here', 'counts');
        $cache->switch_to_blog(2);
        self::assertFalse($cache->get('k'));
        self::assertFalse($cache->get('c', 'counts'));
        self::assertSame('user', $cache->get('u', 'users'));
        $cache->set('k', 'two');
        $cache->switch_to_blog(1);
        self::assertSame('one', $cache->get('k'));
        self::assertSame('here', $cache->get('c', 'counts'));
        Calls::$blog = 2;
        $second = $this->request();
        $second->add_global_groups('users');
        $second->add_non_persistent_groups(['counts']);
        self::assertSame('two', $second->get('k'));
        self::assertSame('user', $second->get('u', 'users'));
        self::assertFalse($second->get('c', 'counts'));
        $second->flush_group('default');
        Calls::$blog = 1;
        self::assertFalse($this->request()->get('k'));
    }

    public function testOneSiteCanBeForgotten(): void
    {
        Calls::$isMultisite = true;
        $cache = $this->request();
        $cache->add_global_groups('users');
        $cache->set('u', 'user', 'users');
        $this->option($cache, 'a', '1');
        foreach ([1, 2] as $blog) {
            $cache->switch_to_blog($blog);
            $cache->set('k', $blog);
        }
        self::assertTrue($cache->flush_site());
        self::assertFalse($cache->get('k'));
        $cache->switch_to_blog(1);
        self::assertSame(1, $cache->get('k'));
        foreach ([1 => 1, 2 => false] as Calls::$blog => $expected) {
            $next = $this->request();
            $next->add_global_groups('users');
            self::assertSame($expected, $next->get('k'));
            self::assertSame('user', $next->get('u', 'users'));
        }
        Calls::$blog = 1;
        self::assertSame('1', $this->option($this->request(), 'a', '2'));
        $this->request()->flush_site();
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
    }

    public function testWhatCannotBeClonedStaysInItsBlog(): void
    {
        Calls::$isMultisite = true;
        $cache = $this->request();
        $cache->switch_to_blog(2);
        $cache->set('k', null);
        $cache->switch_to_blog(1);
        $cache->set('k', Part::First);
        self::assertSame(Part::First, $cache->get('k'));
        $cache->switch_to_blog(2);
        self::assertNull($cache->get('k'));
    }

    public function testASingleSiteDoesNotSwitch(): void
    {
        $cache = $this->request();
        $cache->set('k', 1);
        $cache->switch_to_blog(2);
        self::assertSame(1, $cache->get('k'));
    }

    public function testSaltsDecideWhetherAValueIsOld(): void
    {
        $salted = ObjectCache::salted([1], ['a', 'b']);
        self::assertSame([1], ObjectCache::unsalted($salted, 'a:b'));
        self::assertFalse(ObjectCache::unsalted($salted, 'a:c'));
        self::assertFalse(ObjectCache::unsalted(ObjectCache::salted(null, 'a'), 'a'));
        self::assertFalse(ObjectCache::unsalted('text', 'a'));
    }

    #[RunInSeparateProcess]
    public function testTheSecretAndTheSaltAreInTheNames(): void
    {
        $prefixes = [ObjectCache::prefix()];
        foreach (['AUTH_KEY', 'WP_CACHE_KEY_SALT'] as $constant) {
            \define($constant, 'secret');
            $prefixes[] = ObjectCache::prefix();
        }
        self::assertSame($prefixes, array_unique($prefixes));
    }

    public function testARequestThatCannotReadAGenerationTellsTheOthers(): void
    {
        $refusing = new Refusing(new Engine());
        foreach (['generation', 'group:g'] as $name) {
            $GLOBALS['wpdb'] = $database = new Database();
            $cache = $this->request();
            $cache->set('k', 'old', 'g');
            $refusing->name = $this->prefix . $name;
            $cache = $this->request($refusing);
            self::assertFalse($cache->get('k', 'g'));
            $other = $this->request($refusing);
            $other->set('k', 'other', 'g');
            self::assertFalse($cache->get('k', 'g'), 'it has a generation of its own');
            $refusing->name = '';
            $cache->delete('k', 'g');
            $cache->close();
            self::assertStringContainsString('larder_epoch', $database->queries[0] ?? '');
            unset($GLOBALS['wpdb']);
        }
    }

    /** @return list<array{string}> */
    public static function flushes(): array
    {
        return [['flush'], ['flush_site'], ['flush_group']];
    }

    private function flush(string $flush, string $group): void
    {
        $cache = $this->request();
        self::assertTrue(match ($flush) {
            'flush' => $cache->flush(),
            'flush_site' => $cache->flush_site(),
            default => $cache->flush_group($group),
        });
    }

    /** @return array<string, array{string, string, mixed}> what a process does, and what the next one then finds */
    public static function overlaps(): array
    {
        $all = [];
        foreach (self::flushes() as [$flush]) {
            $all["delete after $flush"] = [$flush, '$cache->delete("k", "posts");', false];
            $all["set after $flush"] = [$flush, '$cache->set("k", 5, "posts");', false];
        }
        $all['set_multiple'] = ['flush', '$cache->set_multiple(["j" => 4, "k" => 5], "posts");', false];
        $all['replace'] = ['flush', '$cache->replace("k", 5, "posts");', false];
        $all['incr'] = ['flush', '$cache->incr("k", 4, "posts");', 7];
        $all['set once it was seen'] = ['flush', '$cache->delete("j", "posts"); $cache->set("k", 5, "posts");', 5];

        return $all;
    }

    /** It has read under names that a flush then changed, and another one has stored 3 of the old database since. */
    #[DataProvider('overlaps')]
    public function testAWriteReachesWhatOthersStoredAfterAFlush(string $flush, string $write, mixed $found): void
    {
        Calls::$isMultisite = true;
        $code = 'use Larder\WordPress\{Backend, ObjectCache, Tests}; require %s;'
            . 'Tests\Calls::$isMultisite = true; $prefix = %s;'
            . '$cache = new ObjectCache\ObjectCache($engine = new Backend\Engine(),'
            . ' new ObjectCache\Epoch($engine, $prefix), $prefix);'
            . '$cache->get("k", "posts"); larder_store("$prefix-has-read", true);'
            . 'while (!larder_exists("$prefix-may-write")) { usleep(1000); } %s echo "done";';
        $this->request()->set('k', 1, 'posts');
        $file = var_export(__DIR__ . '/functions.php', true);
        $process = PhpProcess::start(\sprintf($code, $file, var_export($this->prefix, true), $write));
        while ($process->isRunning() && !larder_exists("$this->prefix-has-read")) {
            usleep(1000);
        }
        $this->flush($flush, 'posts');
        self::assertTrue($this->request()->add('k', 3, 'posts'));
        larder_store("$this->prefix-may-write", true);
        $process->wait();
        self::assertSame('done', $process->getOutput());
        self::assertSame($found, $this->request()->get('k', 'posts'));
    }

    public function testALongProcessReadsWhatOthersHaveSinceAFlush(): void
    {
        $long = $this->request();
        $hooks = Calls::$hooks;
        self::assertFalse($long->get('other', 'posts'));
        $this->request()->set('k', 'old', 'posts');
        $this->request()->flush();
        $this->request()->set('k', 'new', 'posts');
        Calls::$hooks = $hooks;
        $this->wait($long);
        Calls::fire('query', 'SELECT 1');
        self::assertSame('new', $long->get('k', 'posts'));
    }

    /** Such as wp-cron.php, which asks whether the lock is still its own. */
    public function testAForcedReadFindsWhatOthersHaveSinceAFlush(): void
    {
        $cron = $this->request();
        $cron->set_multiple(['doing_cron' => 'mine', 'k' => 'old'], 'transient');
        $this->request()->flush();
        $this->request()->set_multiple(['doing_cron' => 'of another', 'k' => 'new'], 'transient');
        self::assertSame('mine', $cron->get('doing_cron', 'transient'));
        self::assertSame('of another', $cron->get('doing_cron', 'transient', true));
        $this->request()->flush();
        self::assertSame(['k' => false], $cron->get_multiple(['k'], 'transient', true));
    }

    /** Until its next statement is more than five seconds after the last look. */
    private function wait(ObjectCache $long): void
    {
        (new \ReflectionProperty($long, 'readSince'))->setValue($long, hrtime(true) - 5_100_000_000);
    }

    public function testALongProcessDoesNotWaitForItsEndToTellWhatOthersDoNotKnow(): void
    {
        $GLOBALS['wpdb'] = $database = new Database();
        $long = $this->request($refusing = new Refusing(new Engine()));
        $refusing->isReadOnly = true;
        $long->delete('k', 'posts');
        Calls::fire('query', 'SELECT 1');
        self::assertSame(0, $database->countQueries());
        Calls::fire('query', 'START TRANSACTION');
        $this->wait($long);
        Calls::fire('query', 'SELECT 1');
        self::assertSame(0, $database->countQueries(), 'others would wait for the COMMIT');
        Calls::fire('query', 'COMMIT');
        $this->wait($long);
        Calls::fire('query', 'SELECT 1');
        self::assertStringContainsString('larder_epoch', $database->queries[0] ?? '');
        $long->close();
        self::assertSame(1, $database->countQueries());
    }

    #[TestWith([300.0])]
    #[TestWith([0.0])]
    public function testALongProcessTellsTheMemoryThatHasBecomeTheCache(float $age): void
    {
        $GLOBALS['wpdb'] = $database = new Database();
        $epoch = new Epoch($backend = new Engine(), $this->prefix);
        $owner = hash('xxh3', $this->prefix . $backend->identity());
        $database->setEpoch(\sprintf('100.5 %d %s', $now = time(), $owner));
        self::assertTrue($epoch->isShared());
        $long = new ObjectCache($backend, $epoch, $this->prefix);
        (new \ReflectionProperty($epoch, 'began'))->setValue($epoch, $now - $age);
        $backend->delete("{$this->prefix}epoch"); // it is time to look
        $long->close();
        self::assertSame([], $database->queries);
        $backend->delete("{$this->prefix}epoch");
        $database->setEpoch("100.5 $now another");
        $long->delete('k', 'posts');
        if ($age === 0.0) {
            $long->flush_runtime(); // looks, too
        }
        $long->close();
        self::assertStringEndsWith(" $now another", (string) $database->epoch());
        self::assertStringStartsNotWith('100.5 ', (string) $database->epoch());
    }

    // ---- Options ----

    /** A read of get_option(): from the cache, else $row of the database, which it adds. */
    private function option(ObjectCache $cache, string $name, string $row): string
    {
        $value = $cache->get($name, 'options');
        if ($value === false) {
            $cache->add($name, $row, 'options');
        }

        return \is_string($value) ? $value : "$row of the database";
    }

    private function update(ObjectCache $cache, string $name, string $value, bool $isKilled = false): void
    {
        global $wpdb;
        $wpdb = (object) ['base_prefix' => 'wp_'];
        Calls::fire('query', "UPDATE `wp_options` SET `option_value` = '$value' WHERE `option_name` = '$name'");
        if (!$isKilled) {
            $cache->set($name, $value, 'options');
            Calls::fire('updated_option', $name);
        }
        self::assertNotSame([], Calls::$hooks);
    }

    public function testAReaderStoresWhatTheDatabaseHasUntilAWriterBegins(): void
    {
        self::assertSame('1 of the database', $this->option($this->request(), 'a', '1'));
        self::assertSame('1', $this->option($this->request(), 'a', '2'));
        $writer = $this->request();
        $this->update($writer, 'b', '5');
        self::assertSame('5', $writer->get('b', 'options'), 'a writer knows what it wrote');
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
        self::assertSame('5 of the database', $this->option($this->request(), 'b', '5'), 'it does not tell the others');
    }

    public function testAReaderThatWasSlowStoresNothing(): void
    {
        $slow = $this->request();
        self::assertFalse($slow->get('a', 'options'));
        $this->update($this->request(), 'a', '2');
        self::assertTrue($slow->add('a', '1', 'options'));
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
        self::assertSame('2', $this->option($this->request(), 'a', '3'));
        self::assertTrue($slow->set('a', '1', 'options'), 'nor by another function');
        self::assertSame('2', $this->option($this->request(), 'a', '2'));
    }

    public function testAReaderDuringAWriteIsForgottenAtItsEnd(): void
    {
        $writer = $this->request();
        $hooks = Calls::$hooks;
        $this->update($writer, 'a', '2', isKilled: true);
        self::assertSame('1 of the database', $this->option($this->request(), 'a', '1'));
        self::assertSame('1', $this->option($this->request(), 'a', '2'), 'while the write goes on');
        $writer->set('a', '2', 'options');
        self::assertSame('2', $writer->get('a', 'options', true), 'but not for the writer');
        self::assertSame(['a' => '2'], $writer->get_multiple(['a'], 'options', true));
        Calls::$hooks = $hooks;
        Calls::fire('updated_option');
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
    }

    public function testAfterADeathOptionsLiveBriefly(): void
    {
        $this->update($this->request(), 'a', '2', isKilled: true);
        $this->option($this->request(), 'a', '1');
        $names = array_keys(iterator_to_array(new \LarderIterator($this->prefix)));
        $name = current((array) preg_grep('/:options:a$/', $names));
        self::assertIsString($name);
        $ttl = larder_key_info($name)['ttl'] ?? 0;
        self::assertGreaterThan(0.0, $ttl);
        self::assertLessThanOrEqual(5.0, $ttl);
    }

    public function testAfterTheEpochOfAWriterWithoutTheCacheOptionsLiveBriefly(): void
    {
        $backend = new Engine();
        $now = microtime(true);
        $backend->set("{$this->prefix}options:1", (int) ($now * 1000 - 20_000) << 21);
        $entries = ['a' => [$now + 5, 0.0], 'b' => [$now + 5, $now + 60], 'c' => [$now - 15, $now + 40]];
        foreach ($entries as $option => $known) {
            $long = $this->request();
            self::assertFalse($long->get($option, 'options'));
            $backend->set("{$this->prefix}epoch", ['100.5', ...$known]); // as another process that has looked
            $long->add($option, '1', 'options');
            $names = array_keys(iterator_to_array(new \LarderIterator($this->prefix)));
            $name = current((array) preg_grep("/:options:$option$/", $names));
            self::assertIsString($name);
            self::assertSame($option !== 'a', (larder_key_info($name)['ttl'] ?? 0.0) > 0.0);
        }
    }

    public function testATransactionEndsTheWriteAfterItsCommit(): void
    {
        $writer = $this->request();
        $hooks = Calls::$hooks;
        Calls::fire('query', 'START TRANSACTION');
        $this->update($writer, 'a', '2');
        $this->option($this->request(), 'a', '1');
        Calls::$hooks = $hooks;
        Calls::fire('query', 'COMMIT');
        self::assertSame('1', $this->option($this->request(), 'a', '1'), 'it is not executed yet');
        Calls::$hooks = $hooks;
        Calls::fire('query', 'SELECT 1');
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
    }

    #[DataProvider('withoutAutocommit')]
    public function testWithoutAutocommitEachCommitEndsTheWriteButNotTheTransaction(string $off, string $on): void
    {
        $writer = $this->request();
        $hooks = Calls::$hooks;
        Calls::fire('query', $off);
        foreach (['COMMIT' => '2', 'ROLLBACK' => '3', $on => '4'] as $end => $value) {
            $this->update($writer, 'a', $value);
            $this->option($this->request(), 'a', '1');
            self::assertSame('1', $this->option($this->request(), 'a', $value), 'until it ends');
            self::assertFalse($writer->get("b$value", 'options'));
            self::assertTrue($writer->add("b$value", 'of the transaction', 'options'));
            self::assertFalse($this->request()->get("b$value", 'options'));
            Calls::$hooks = $hooks;
            Calls::fire('query', $end);
            Calls::fire('query', 'SELECT 1');
            self::assertFalse($this->request()->get('a', 'options'));
            Calls::$hooks = $hooks;
        }
        $this->update($writer, 'a', '5');
        self::assertSame('5 of the database', $this->option($this->request(), 'a', '5'), 'and now as before');
        self::assertSame('5', $this->option($this->request(), 'a', '6'));
    }

    /** @return list<array{string, string}> */
    public static function withoutAutocommit(): array
    {
        return [
            ['SET autocommit = 0', 'SET autocommit = 1'], ['set session autocommit=off', 'SET SESSION autocommit=ON'],
            ['SET @@autocommit = 0', 'SET @@autocommit = 1'],
            [' SET @@session.autocommit=0', 'SET @@autocommit = TRUE'],
        ];
    }

    public function testStatementsInBetweenDoNotEndAWrite(): void
    {
        $writer = $this->request();
        $hooks = Calls::$hooks;
        $this->update($writer, 'a', '2', isKilled: true);
        Calls::fire('query', 'SHOW FULL COLUMNS FROM `wp_options`');
        $this->option($this->request(), 'a', '1');
        Calls::$hooks = $hooks;
        $writer->close();
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
    }

    public function testEachBlogHasOptionsOfItsOwnAndTheNetworkToo(): void
    {
        Calls::$isMultisite = true;
        $this->option($this->request(), 'a', '1');
        $writer = $this->request();
        $GLOBALS['wpdb'] = (object) ['base_prefix' => 'wp_'];
        Calls::fire('query', "UPDATE wp_2_options SET option_value = ''");
        Calls::fire('query', 'DELETE FROM wp_sitemeta');
        $writer->close();
        self::assertSame('1', $this->option($this->request(), 'a', '2'));
        $writer = $this->request();
        Calls::fire('query', 'insert into wp_options');
        $writer->close();
        self::assertSame('2 of the database', $this->option($this->request(), 'a', '2'));
    }

    #[DataProvider('flushes')]
    public function testALongProcessReadsNoOptionThatWasForgotten(string $flush): void
    {
        Calls::$isMultisite = true;
        $this->option($this->request(), 'a', '1');
        $long = $this->request();
        self::assertFalse($long->get('b', 'options'));
        $control = $this->request();
        self::assertSame('1', $control->get('a', 'options'));
        $this->flush($flush, 'options');
        self::assertFalse($long->get('a', 'options'));
        self::assertSame(['a' => false], $long->get_multiple(['a'], 'options'));
    }

    public function testNamesOfAbsentOptionsAreBounded(): void
    {
        $cache = $this->request();
        self::assertFalse($cache->get('notoptions', 'options'));
        $cache->set('notoptions', array_fill_keys(range('a', 'z'), true) + array_fill(0, 2000, true), 'options');
        $kept = $this->request()->get('notoptions', 'options');
        self::assertIsArray($kept);
        self::assertCount(500, $kept);
        self::assertSame(1999, array_key_last($kept));
    }
}
