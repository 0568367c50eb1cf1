<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * Calls of apcu_*() by applications, in their order and with their kinds of arguments, over APCu and over the module of
 * this repository. lab/apcu/prove runs whole applications.
 */
final class ApplicationsTest extends TestCase
{
    private const SAY = 'function say(mixed ...$values): void { echo json_encode($values, JSON_THROW_ON_ERROR), "\n"; }';

    /** @return iterable<string, array{string, list<string>}> calls, and their results */
    public static function calls(): iterable
    {
        yield 'Drupal, cache bins' => [<<<'PHP'
            $bin = 'site::discovery::';
            $set = fn(string $id, mixed $data): bool => apcu_store($bin . $id, (object) ['cid' => $id, 'created' => 1.5, 'expire' => -1, 'tags' => 'a b', 'data' => $data]);
            say($set('views', ['plugin' => ['id' => 'x']]), $set('empty', null), $set('0', 'zero'), apcu_store('other::views', 1));
            $item = apcu_fetch($bin . 'views');
            $item->tags = explode(' ', $item->tags);
            say($item, apcu_fetch($bin . 'views')->tags, isset(apcu_fetch($bin . 'none')->data));
            $found = apcu_fetch([$bin . 'none', $bin . '0', $bin . 'views']);
            say(array_keys($found), apcu_fetch([$bin . 'none']), $found[$bin . '0']->data);
            // a bin is invalidated by storing each of its items again while the iterator stands on it
            $pattern = '/^' . preg_quote($bin, '/') . '/';
            $seen = [];
            foreach (new APCUIterator($pattern, APC_ITER_ALL, 100, APC_LIST_ACTIVE) as $entry) {
                $seen[] = str_replace($bin, '', $entry['key']);
                $set(end($seen), ['again' => $entry['value']->data]);
            }
            sort($seen, SORT_STRING);
            say($seen, apcu_fetch($bin . 'views')->data);
            say(apcu_delete([$bin . 'views', $bin . 'none']), apcu_delete(new APCUIterator($pattern, APC_ITER_ALL, 100)), apcu_exists($bin . '0'), apcu_fetch('other::views'));
            PHP, [
            '[true,true,true,true]',
            '[{"cid":"views","created":1.5,"expire":-1,"tags":["a","b"],"data":{"plugin":{"id":"x"}}},"a b",false]',
            '[["site::discovery::0","site::discovery::views"],[],"zero"]',
            '[["0","empty","views"],{"again":{"plugin":{"id":"x"}}}]',
            '[["site::discovery::none"],true,false,1]',
        ]];
        yield 'Drupal, cache of files' => [<<<'PHP'
            $read = ['filecache:annotation:/a.php', 'filecache:annotation:/b.php'];
            say(apcu_fetch($read), apcu_store($read[0], ['mtime' => 5, 'filepath' => '/a.php', 'data' => [null, false]]));
            say(apcu_fetch($read), apcu_delete($read[0]), apcu_delete($read[0]));
            PHP, ['[[],true]', '[{"filecache:annotation:\/a.php":{"mtime":5,"filepath":"\/a.php","data":[null,false]}},true,false]']];
        yield 'Drupal, status page' => [<<<'PHP'
            $memory = apcu_sma_info(true);
            say(extension_loaded('apcu'), (bool) ini_get('apc.enabled'), ini_get('apc.shm_size'), $memory['seg_size'] > 32e6, $memory['avail_mem'] / $memory['seg_size'] > 0.25);
            PHP, ['[true,true,"64M",true,true]']];
        yield 'Nextcloud' => [<<<'PHP'
            say(extension_loaded('apcu'), ini_get('apc.enabled'), ini_get('apc.enable_cli'), version_compare(phpversion('apcu'), '5.1.0') >= 0, class_exists('APCIterator'));
            $prefix = 'hash/oc/';
            $get = function (string $key) use ($prefix): mixed {
                $value = apcu_fetch($prefix . $key, $success);
                return $success ? $value : null;
            };
            say($get('k'), apcu_store($prefix . 'k', false, 86400), $get('k'), apcu_exists($prefix . 'k'), apcu_add($prefix . 'k', 1, 86400));
            $success = null;
            say(apcu_inc($prefix . 'n', 3, $success, 86400), $success, apcu_inc($prefix . 'n', 1, $success, 86400), apcu_dec($prefix . 'n', 2), apcu_exists($prefix . 'none'));
            say(apcu_cas($prefix . 'n', 2, 7), apcu_cas($prefix . 'n', 2, 8), apcu_cas($prefix . 'none', 0, 1), $get('n'));
            apcu_store('hash/od/', 1);
            say(apcu_delete(new APCUIterator('/^' . preg_quote($prefix . 'k', '/') . '/', APC_ITER_KEY)), $get('k'), $get('n'));
            say(apcu_delete(new APCUIterator('/^' . preg_quote($prefix, '/') . '/', APC_ITER_KEY)), $get('n'), apcu_fetch('hash/od/'));
            PHP, [
            '[true,"1","1",true,false]',
            '[null,true,false,true,false]',
            '[3,true,4,2,false]',
            '[true,false,false,7]',
            '[true,null,7]',
            '[true,null,1]',
        ]];
        yield 'Nextcloud, set-up check' => [<<<'PHP'
            $cache = apcu_cache_info(true);
            $memory = apcu_sma_info(true);
            $size = $memory['num_seg'] * $memory['seg_size'];
            say($cache['expunges'], time() - $cache['start_time'] < 60, ($size - $memory['avail_mem']) / $size < 0.9);
            PHP, ['[0,true,true]']];
        yield 'Moodle' => [<<<'PHP'
            say(ini_get('apc.enabled') && ini_get('apc.enable_cli'), extension_loaded('apcu'), version_compare(phpversion('apcu'), '4.0.0', '>='));
            $prefix = 'mdl_1f3__';
            $key = fn(string|int $name): string => $prefix . $name;
            $values = ['text' => 'a', 7 => (object) ['x' => [1]], 'no' => false];
            $map = array_combine(array_map($key, array_keys($values)), $values);
            say(count($map) - count(apcu_store($map, null, 0)), apcu_exists(array_map($key, ['text', 'no', 'none'])), apcu_exists($key(7)));
            $success = false;
            say(apcu_fetch(['t' => $key('text'), 'n' => $key('none'), 7 => $key(7)], $success), $success);
            $success = false;
            say(apcu_fetch($key('no'), $success), $success, apcu_fetch($key('none'), $success), $success);
            apcu_store(['mdl_1f4__text' => 1], null, 60);
            say(apcu_delete($key('none')), apcu_delete(new APCUIterator('#^' . preg_quote($prefix, '#') . '#')), apcu_exists($key('text')), apcu_fetch('mdl_1f4__text'));
            PHP, [
            '[true,true,true]',
            '[3,{"mdl_1f3__text":true,"mdl_1f3__no":true},true]',
            '[{"mdl_1f3__text":"a","mdl_1f3__7":{"x":[1]}},true]',
            '[false,true,false,false]',
            '[false,true,false,1]',
        ]];
        yield 'phpBB' => [<<<'PHP'
            $prefix = substr(md5('board'), 0, 8) . '_';
            say(apcu_fetch($prefix . '_global'), apcu_store($prefix . '_global', ['_config' => ['a' => '1']], 2592000), apcu_store($prefix . 'sql_1', [[['id' => '5']]], 600));
            say(apcu_fetch($prefix . '_global'), apcu_delete($prefix . 'sql_1'), apcu_delete($prefix . 'sql_1'));
            apcu_store('other_', 1);
            say(apcu_delete(new APCUIterator('#^' . $prefix . '#')), apcu_fetch($prefix . '_global'), apcu_fetch('other_'), apcu_delete(new APCUIterator('#^' . $prefix . '#')));
            PHP, ['[false,true,true]', '[{"_config":{"a":"1"}},true,false]', '[true,false,1,true]']];
        yield 'Yii2' => [<<<'PHP'
            $keys = [md5('a'), '123', 'plain'];
            say(apcu_exists($keys[0]), apcu_store($keys[0], serialize(['value', null]), 0), apcu_fetch($keys[0]), apcu_fetch('none'));
            say(apcu_store([$keys[0] => 'one', 123 => 'two'], null, 60), apcu_fetch($keys), array_keys(apcu_fetch($keys)), array_keys(apcu_add([$keys[0] => 'again', 123 => 'again', 'plain' => 'new'], null, 60)));
            say(apcu_add('added', 's', 60), apcu_add('added', 't', 60), apcu_delete('added'), apcu_delete('added'), apcu_fetch('plain'));
            say(apcu_clear_cache(), apcu_fetch($keys));
            PHP, [
            '[false,true,"a:2:{i:0;s:5:\"value\";i:1;N;}",false]',
            '[[],{"0cc175b9c0f1b6a831c399e269772661":"one","123":"two"},["0cc175b9c0f1b6a831c399e269772661","123"],["0cc175b9c0f1b6a831c399e269772661",123]]',
            '[true,false,true,false,"new"]',
            '[true,[]]',
        ]];
        yield 'TYPO3, tags in lists' => [<<<'PHP'
            say(extension_loaded('apcu'), PHP_SAPI === 'cli' && ini_get('apc.enable_cli') == 0);
            $prefix = 'TYPO3_0123456789ab';
            $tagged = function (string $tag) use ($prefix): array {
                $success = false;
                $identifiers = apcu_fetch($prefix . 'tag_' . $tag, $success);
                return $success === false ? [] : (array) $identifiers;
            };
            foreach (['p1' => ['t'], 'p2' => ['t', 'u']] as $page => $tags) {
                say(apcu_store($prefix . $page, "<p>$page</p>", 3600) === true, apcu_store($prefix . 'ident_' . $page, $tags));
                foreach ($tags as $tag) {
                    apcu_store($prefix . 'tag_' . $tag, [...$tagged($tag), $page]);
                }
            }
            $identifiers = $tagged('t');
            unset($identifiers[0]);
            say(apcu_store($prefix . 'tag_t', $identifiers), $tagged('t'), array_search('p2', $tagged('t')), $tagged('none'));
            $identifiers = $tagged('t');
            $identifiers[] = 'p3';
            $success = false;
            say($identifiers, apcu_fetch($prefix . 'p1', $success), $success, apcu_delete($prefix . 'p1'), apcu_fetch($prefix . 'p1', $success), $success);
            PHP, [
            '[true,false]',
            '[true,true]',
            '[true,true]',
            '[true,{"1":"p2"},1,[]]',
            '[{"1":"p2","2":"p3"},"<p>p1<\/p>",true,true,false,false]',
        ]];
        yield 'phpCacheAdmin, keys' => [<<<'PHP'
            apcu_store('forever', 'x');
            apcu_store('user:1', ['a' => 1], 60);
            apcu_fetch('user:1');
            say(apcu_key_info('forever')['ttl'], apcu_key_info('none'));
            $info = apcu_key_info('user:1');
            say($info['ttl'], $info['access_time'] - $info['creation_time'] <= 1);
            foreach (apcu_cache_info()['cache_list'] as $entry) {
                $list[$entry['info']] = [$entry['ttl'], $entry['num_hits'], $entry['access_time'] - $entry['creation_time'] <= 1];
            }
            $fields = APC_ITER_KEY | APC_ITER_TTL | APC_ITER_MEM_SIZE | APC_ITER_NUM_HITS | APC_ITER_ATIME | APC_ITER_CTIME;
            foreach (new APCUIterator(null, $fields, 0, APC_LIST_ACTIVE) as $item) {
                $items[$item['key']] = [array_keys($item), $item['mem_size'] > 0, $item['num_hits'], $item['ttl']];
            }
            ksort($list);
            ksort($items);
            say($list);
            say($items);
            say(apcu_delete('forever'), apcu_store('forever', 'y', 0), apcu_fetch('forever'));
            PHP, [
            '[0,null]',
            '[60,true]',
            '[{"forever":[0,0,true],"user:1":[60,1,true]}]',
            '[{"forever":[["key","num_hits","creation_time","access_time","mem_size","ttl"],true,0,0],"user:1":[["key","num_hits","creation_time","access_time","mem_size","ttl"],true,1,60]}]',
            '[true,true,"y"]',
        ]];
        yield 'phpCacheAdmin, panels' => [<<<'PHP'
            apcu_store('a', str_repeat('x', 100_000));
            apcu_fetch('a');
            apcu_fetch('none');
            $info = apcu_cache_info(true);
            say($info['num_entries'], $info['num_hits'], $info['num_misses'], $info['expunges'], $info['num_slots'] > 0, is_int($info['start_time']));
            $memory = apcu_sma_info();
            $total = $memory['num_seg'] * $memory['seg_size'];
            say($memory['avail_mem'] > 0, $memory['avail_mem'] <= $total, count($memory['block_lists']) === (int) $memory['num_seg']);
            // a map of the memory: the free blocks do not overlap
            $end = 0;
            $inside = true;
            usort($memory['block_lists'][0], fn(array $one, array $other): int => $one['offset'] <=> $other['offset']);
            foreach ($memory['block_lists'][0] as $block) {
                $inside = $inside && $block['offset'] >= $end;
                $end = $block['offset'] + $block['size'];
            }
            say($inside, $end > 0);
            PHP, ['[1,1,1,0,true,true]', '[true,true,true]', '[true,true]']];
        yield 'WordPress, Site Health' => ["say(extension_loaded('apcu'), function_exists('apcu_enabled') && apcu_enabled());", ['[true,true]']];
    }

    /** @param list<string> $said */
    #[DataProvider('calls')]
    public function testCallsAreAnsweredAsApplicationsExpect(string $calls, array $said): void
    {
        self::assertSame(implode("\n", $said), Peer::apcu()->says(self::SAY . $calls), 'APCu itself');
        self::assertSame(implode("\n", $said), Peer::larder()->says(self::SAY . $calls));
    }

    public function testBrokenBuildIsNoticed(): void
    {
        [$calls, $said] = iterator_to_array(self::calls())['Yii2'];

        self::assertNotSame(implode("\n", $said), Peer::larder('apcu-careless')->says(self::SAY . $calls));
    }

    /** Not compared with APCu: 5.1.22 counts these times from the start of the machine. */
    public function testDashboardsReadTimesOfDay(): void
    {
        $calls = 'apcu_store("k", 1, 60); $info = apcu_key_info("k"); say(abs($info["creation_time"] + $info["ttl"] - time() - 60) <= 1, abs($info["access_time"] - time()) <= 1);';

        self::assertSame('[true,true]', Peer::larder()->says(self::SAY . $calls));
    }

    /** @return iterable<string, array{string}> warnings of an application, while twice the memory is stored */
    public static function warnings(): iterable
    {
        yield 'Drupal' => ['$memory = apcu_sma_info(true); $warns = $warns || $memory["avail_mem"] / $memory["seg_size"] < 0.25;'];
        yield 'Nextcloud, wiped' => ['$warns = $warns || apcu_cache_info(true)["expunges"] > 0;'];
        yield 'Nextcloud, full' => ['$memory = apcu_sma_info(true); $warns = $warns || $memory["avail_mem"] / ($memory["num_seg"] * $memory["seg_size"]) < 0.1;'];
    }

    #[DataProvider('warnings')]
    public function testNoApplicationWarnsOfAFullCache(string $check): void
    {
        $calls = '$warns = false; for ($i = 0; $i < 1600; $i++) { apcu_store("page:$i", random_bytes(20_000)); ' . $check . '} say($warns);';

        self::assertSame('[true]', Peer::apcu()->says(self::SAY . $calls, ['apc.shm_size=16M']), 'the control: APCu');
        self::assertSame('[false]', Peer::larder()->says(self::SAY . $calls, ['apc.shm_size=16M']));
    }
}
