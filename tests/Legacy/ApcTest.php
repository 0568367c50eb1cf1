<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use Larder\ProjectTests\Apcu\Peer;
use Larder\ProjectTests\Engine\Proof;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;

/** apc_*() and APCIterator of larder/legacy. */
final class ApcTest extends LegacyTestCase
{
    #[RequiresPhpExtension('apcu')]
    public function testRandomCallsGiveWhatApcuGives(): void
    {
        $seed = random_int(1, 1_000_000_000);
        $calls = Proof::amount(10_000, 100_000);
        $apcu = $this->apcu($seed, $calls);
        self::assertCount($calls, $apcu);
        self::assertSame($apcu, $this->calls($seed, $calls, 'apc'), "seed $seed");
    }

    #[RequiresPhpExtension('apcu')]
    public function testControlOneWrongFunctionIsFound(): void
    {
        self::assertNotSame($this->apcu(1, 1_000), $this->calls(1, 1_000, 'broken'));
    }

    public function testCountingWhatIsMissingCreatesNothing(): void
    {
        self::assertSame([false, false, false, false, 3, true], $this->returned('return [apc_inc("n", 1, $success), $success, apc_exists("n"), apc_dec("n"),
            apc_store("n", 1) ? apc_inc("n", 2, $success) : 0, $success];'));
        self::assertSame([false, false, \PHP_INT_MAX], $this->returned('apc_store("n", PHP_INT_MAX); apc_store("text", "1");
            return [apc_inc("n"), apc_inc("text"), apc_fetch("n")];'));
    }

    /**
     * Zend_Cache_Backend_Apc stores without expiry by a lifetime of null, and CodeIgniter calls apc_cache_info(null).
     */
    public function testNullIsTakenAsByFunctionsOfPhp(): void
    {
        self::assertSame([true, true, [], 0, false, [5, 6, 4], true, true, false], $this->returned('$stored = [apc_store("n", 5, null), apc_add("m", 6, null), apc_store(["a" => 1, "b" => 2], null, null)];
            return [...$stored, (int) larder_key_info("apc:n")["ttl"], apc_fetch(null), [apc_inc("n", null), apc_fetch("m"), iterator_count(new APCIterator("user", null, APC_ITER_KEY, null))],
                apc_clear_cache(null) && apc_exists("n"), is_array(apc_cache_info(null, null)), apc_exists("")];'));
    }

    public function testCountingKeepsTheExpiry(): void
    {
        self::assertSame([2, true], $this->returned('apc_store("n", 1, 3600); $sum = apc_inc("n"); $rest = larder_key_info("apc:n")["ttl"]; return [$sum, $rest > 0 && $rest <= 3600];'));
    }

    public function testParallelProcessesLoseNoCount(): void
    {
        $this->returned('return apc_store("n", 0);');
        $this->inParallel(4, 'for ($i = 0; $i < 5000; ++$i) { apc_inc("n", 2); apc_dec("n"); }');

        self::assertSame(20_000, $this->returned('return apc_fetch("n");'));
    }

    public function testArrayWithAnotherElementThanAStringIsRefused(): void
    {
        self::assertSame([[false, false, ['a'], [5], null, false], [
            'apc_fetch(): apc_fetch() expects a string or array of strings.',
            'apc_exists(): apc_exists() expects a string or array of strings.',
            'apc_delete(): apc_delete() expects a string, array of strings, or APCIterator instance.',
            'apc_delete(): apc_delete() expects a string, array of strings, or APCIterator instance.',
            'apc_add(): apc_store expects key parameter to be a string or an array of key/value pairs.',
        ]], $this->returnedAndWarned('apc_store("b", 1);
            return [apc_fetch(["b", 5]), apc_exists(["b", null]), apc_delete(["a"]), apc_delete([5, "b"]), apc_delete(5), apc_add(5, 1)];'));
    }

    public function testKeysThatTheEngineCannotHaveAreRefused(): void
    {
        self::assertSame([false, false, false, ['' => -1], false, true, 1], $this->returned('$long = str_repeat("k", 65_532); $longest = str_repeat("k", 65_531);
            return [apc_store("", 1), apc_store($long, 1), apc_fetch($long), apc_store(["" => 1]), apc_delete(""), apc_store($longest, 1), apc_fetch($longest)];'));
    }

    public function testClearingLeavesWhatOthersStored(): void
    {
        self::assertSame([true, true, false, 1], $this->returned('apc_store("a", 1); larder_store("a", 1);
            return [apc_clear_cache(), apc_exists("a") && apc_clear_cache("user"), apc_exists("a"), larder_fetch("a")];'));
    }

    public function testDefinesOnlyWhatIsMissing(): void
    {
        $process = $this->script(['-r', 'function apc_fetch($key) { return "mine"; } class APCIterator {} const APC_BIN_VERIFY_MD5 = 7;'
            . $this->loading() . 'echo apc_fetch("a"), get_class_methods("APCIterator") === [] ? " mine " : "", APC_BIN_VERIFY_MD5, (int) apc_store("a", 1);'])->mustRun();

        self::assertSame('mine mine 71', $process->getOutput());
    }

    #[RequiresPhpExtension('apcu')]
    public function testIteratorUnderstandsTheFlagsOfApcu(): void
    {
        $code = 'apc_store("a", 5); echo json_encode([(new APCIterator("user", null, APC_ITER_KEY | APC_ITER_VALUE | APC_ITER_FILENAME | APC_ITER_MD5))->current(), APC_ITER_VALUE]);';

        self::assertSame('[{"key":"a","value":5},32]', $this->script(['-r', $this->loading() . $code])->mustRun()->getOutput());
        self::assertSame('[{"key":"a","value":5},4]', $this->script(['-d', 'extension=apcu', '-r', $this->loading() . $code])->mustRun()->getOutput());
    }

    public function testIteratorEnds(): void
    {
        self::assertSame([[false, false, false], ['a', 'a', true, false, false], 0, 0], $this->returned('apc_store("a", 5); $none = new APCIterator("user", "/^b/"); $one = new APCIterator("user");
            return [[$none->valid(), $none->current(), $none->key()], [$one->key(), $one->key(), $one->next(), $one->current(), $one->next()],
                (new APCIterator("file"))->getTotalCount(), (new APCIterator("user", null, APC_ITER_ALL, 100, APC_LIST_DELETED))->getTotalCount()];'));
    }

    /** From APC's own tests. */
    public function testIteratorThatIsNotConstructedReturnsFalse(): void
    {
        self::assertSame([array_fill(0, 9, false), 0, true], $this->returned('apc_store("a", 5); class NotConstructed extends APCIterator { public function __construct() {} } $object = new NotConstructed();
            $said = [$object->rewind(), $object->current(), $object->key(), $object->next(), $object->valid(), $object->getTotalHits(), $object->getTotalSize(), $object->getTotalCount(), apc_delete($object)];
            return [$said, count(iterator_to_array(new NotConstructed())), apc_exists("a")];'));
    }

    /** PHP 5 had no return types. */
    public function testSubclassNeedsNoReturnTypes(): void
    {
        self::assertSame([[['key' => 'a', 'value' => 5]], []], $this->returnedAndWarned('apc_store("a", 5); eval(\'class OfThatTime extends APCIterator {
            var $format; function __construct() { parent::__construct("user", "/^a/", APC_ITER_KEY | APC_ITER_VALUE); }
            function rewind() { return parent::rewind(); } function valid() { return parent::valid(); } function current() { return parent::current(); } function key() { return 0; } function next() { return parent::next(); }
            function getTotalHits() { return 0; } function getTotalSize() { return 0; } function getTotalCount() { return 0; } }\');
            return iterator_to_array(new OfThatTime());'));
    }

    /** PCRE skips some things between a literal and its quantifier. This tests all of them, with each quantifier. */
    public function testIteratorReturnsTheKeysThatPcreMatches(): void
    {
        [$patterns, $wrong] = $this->differences(array_merge(
            ['/^b\E*/', '/^b(?#x)?c/', '/^b\Q\E*/', '/^b(?#x)*/', '/^b\E?/', '#^bc\E{0}#', '/^b:\d/', '~^bb(?#)\E(?#)?~', '/^b+/', '/^bc{0,1}$/', '@^b-?c@'],
            self::patterns(5_000),
        ));
        self::assertGreaterThan(1_000, $patterns, 'that PCRE compiles');
        self::assertSame([], $wrong);
    }

    public function testDeletionTakesTheKeysThatPcreMatches(): void
    {
        self::assertSame(['d'], $this->returned('apc_store(["bc" => 1, "c" => 1, "d" => 1]); apc_delete(new APCIterator("user", "/^b(?#x)?c/"));
            return array_keys(apc_exists(["bc", "c", "d"]));'));
    }

    /**
     * @param list<string> $patterns
     * @return array{int, list<mixed>} number of patterns, and those whose keys differ from the result of preg_grep()
     */
    private function differences(array $patterns): array
    {
        file_put_contents("$this->folder/patterns.json", json_encode($patterns, \JSON_THROW_ON_ERROR));
        $read = $this->returned('$keys = ["b:1", "b-c", "b", "c", "1"];
            foreach (["a", "b", "c", "B"] as $one) { foreach (["", "b", "c"] as $two) { foreach (["", "b", "c", "?"] as $three) { $keys[] = "$one$two$three"; } } }
            $keys = array_values(array_unique($keys)); sort($keys, SORT_STRING);
            apc_store(array_fill_keys($keys, 1)); $tried = 0; $wrong = [];
            foreach (json_decode(file_get_contents("patterns.json")) as $pattern) {
                if (@preg_match($pattern, "") === false) { continue; }
                ++$tried; $found = array_map(strval(...), array_keys(iterator_to_array(new APCIterator("user", $pattern, APC_ITER_KEY)))); sort($found, SORT_STRING);
                if ($found !== array_values(preg_grep($pattern, $keys))) { $wrong[] = $pattern; }
            } return [$tried, $wrong];');
        self::assertIsArray($read);
        self::assertIsInt($read[0]);
        self::assertIsArray($read[1]);

        return [$read[0], array_values($read[1])];
    }

    /** @return list<string> */
    private static function patterns(int $number): array
    {
        $random = new \Random\Randomizer(new \Random\Engine\Mt19937(1));
        $parts = ['b', 'b', 'c', ':', '\E', '\Q', '\Q\E', '(?#x)', '(?#)', '?', '*', '+', '{0}', '{0,1}', '{,1}', '{', '.', '[c]', '\w', '$', '(?C1)', '(*PRUNE)', '(?i)', '(?x)', '(?:', '(', ')', '(?=b)', '\x62', ' '];
        $patterns = [];
        for ($i = 0; $i < $number; ++$i) {
            $pattern = '/^b';
            for ($length = $random->getInt(1, 5); $length > 0; --$length) {
                $pattern .= $parts[$random->getInt(0, \count($parts) - 1)];
            }
            $patterns[] = $pattern . '/';
        }

        return $patterns;
    }

    public function testIteratorIsDeletedFromWhereItStands(): void
    {
        self::assertSame([true, ['p:1'], 1], $this->returned('apc_store(["p:1" => 1, "p:2" => 2, "p:3" => 3]); $iterator = new APCIterator("user", ["p:1", "p:2", "p:3"]);
            $iterator->rewind(); $iterator->next();
            return [apc_delete($iterator), array_keys(apc_exists(["p:1", "p:2", "p:3"])), (new APCIterator("user", "/^p:/"))->getTotalCount()];'));
    }

    public function testWrongIteratorThrows(): void
    {
        self::assertSame(4, $this->returned('$thrown = 0;
            foreach ([["user", "/(/"], ["user", null, APC_ITER_ALL + 1], ["user", null, 1, -1], ["user", null, 1, 0, 3]] as $arguments) {
                try { new APCIterator(...$arguments); } catch (ValueError) { ++$thrown; }
            } return $thrown;'));
    }

    /** The cron job of the study of 2013, and the page that loads its dump into another cache. */
    public function testCronFillsAnotherCache(): void
    {
        $cron = $this->returned('apc_clear_cache("user"); $data = ["news" => ["first", "second"], "visitors" => 42];
            apc_store($data);
            return apc_bin_dumpfile(array(), null, "apc.dump");');
        self::assertSame(filesize("$this->folder/apc.dump"), $cron);

        self::assertSame([false, true, ['first', 'second'], 42], $this->returned('return [apc_fetch("news"), apc_bin_loadfile("apc.dump"), apc_fetch("news"), apc_fetch("visitors")];', ['larder.segment' => 'page']));
    }

    public function testDumpKeepsExpiriesAndNothingExpired(): void
    {
        self::assertSame([true, ['long', 'never'], true], $this->returned('apc_store("never", 1); apc_store("long", 2, 3600); apc_store("short", 3, 1);
            $dump = apc_bin_dump(); apc_clear_cache("user"); usleep(1_100_000);
            $loaded = apc_bin_load($dump); $keys = array_keys(iterator_to_array(new APCIterator("user"))); sort($keys);
            $rest = larder_key_info("apc:long")["ttl"];
            return [$loaded, $keys, $rest > 0 && $rest < 3599];'));
    }

    public function testDumpHasTheVariablesAskedFor(): void
    {
        self::assertSame([['b', 12], 0], $this->returned('apc_store(["a" => 1, "b" => null, "12" => false]); $dump = apc_bin_dump([], ["b", 12, "none"]); $none = apc_bin_dump(null, []);
            apc_clear_cache("user"); apc_bin_load($dump); $keys = array_keys(apc_fetch(["a", "b", "12"])); apc_clear_cache("user"); apc_bin_load($none);
            return [$keys, apc_cache_info("user", true)["num_entries"]];'));
    }

    public function testDamagedDumpIsRefused(): void
    {
        [$said, $warnings] = $this->returnedAndWarned('apc_store(["a" => 1, "b" => "text"]); $dump = apc_bin_dump(); apc_clear_cache("user");
            $loaded = 0;
            for ($i = 0; $i < strlen($dump); ++$i) {
                $damaged = $dump; $damaged[$i] = chr(ord($dump[$i]) ^ 1);
                $loaded += (int) apc_bin_load($damaged);
                $loaded += (int) apc_bin_load(substr($dump, 0, $i));
            }
            file_put_contents("empty", "");
            return [$loaded, apc_bin_load(""), apc_bin_loadfile("empty"), apc_bin_loadfile("none"), apc_bin_dumpfile([], null, "none/none"), apc_cache_info("user")["cache_list"], apc_bin_load($dump)];');

        self::assertSame([0, false, false, false, false, [], true], $said);
        self::assertSame('apc_bin_load(): the dump is damaged, or apc_bin_dump() of Larder did not write it', $warnings[0]);
        self::assertSame([
            'apc_bin_loadfile(): File passed to apc_bin_loadfile was empty: empty.',
            'apc_bin_loadfile(): Unable to read from file in apc_bin_loadfile: none',
            'apc_bin_dumpfile(): Unable to write to file in apc_bin_dumpfile: none/none',
        ], array_values((array) preg_grep('/^apc_bin_(load|dump)file/', $warnings)));
    }

    public function testConstantsAreLoadedInAnotherProcess(): void
    {
        self::assertSame([true, 'one'], $this->returned('return [apc_define_constants("all", ["LEGACY_A" => "one", "LEGACY_LIST" => [1], 5 => 6, "LEGACY_B" => null]), LEGACY_A];'));
        self::assertSame([true, 'one', null, false, false], $this->returned('return [apc_load_constants("all"), LEGACY_A, LEGACY_B, defined("LEGACY_LIST"), apc_load_constants("none")];'));
    }

    public function testFilesAreThoseOfOpcache(): void
    {
        $code = 'file_put_contents("a.php", "<?php return 1;"); file_put_contents("bad.php", "<?php (");
            return [apc_compile_file(getcwd() . "/a.php"), opcache_is_script_cached(getcwd() . "/a.php"), @apc_compile_file([getcwd() . "/a.php", getcwd() . "/bad.php", "none.php"]),
                apc_delete_file(getcwd() . "/a.php"), apc_delete_file(["none.php"]), apc_delete_file(new APCIterator("file")), opcache_is_script_cached(getcwd() . "/a.php")];';

        self::assertSame([true, true, ["$this->folder/bad.php" => -1, 'none.php' => -1], true, ['none.php'], true, false], $this->returned($code, ['zend_extension' => 'opcache', 'opcache.enable_cli' => '1', 'opcache.file_update_protection' => '0']));
        self::assertFalse($this->returned('return @apc_compile_file("a.php");'), 'without OPcache');
    }

    /** OPcache does not cache a.php, because it is too new. */
    public function testFileThatIsLoadedIsCompiled(): void
    {
        $code = 'foreach (["a", "b"] as $name) { file_put_contents("$name.php", "<?php function in_$name() {} class In_$name {}"); }
            touch("b.php", time() - 60); include "a.php";
            return [apc_compile_file(getcwd() . "/a.php"), apc_compile_file("./a.php"), apc_compile_file(["a.php", "b.php"]), apc_compile_file("b.php")];';
        $process = $this->process($code, ['zend_extension' => 'opcache', 'opcache.enable_cli' => '1']);

        self::assertSame(['[true,true,[],true]', ''], [$process->mustRun()->getOutput(), $process->getErrorOutput()]);
    }

    public function testInformationHasTheShapesOfApc(): void
    {
        self::assertSame([
            ['num_slots', 'ttl', 'num_hits', 'num_misses', 'num_inserts', 'expunges', 'start_time', 'mem_size', 'num_entries', 'file_upload_progress', 'memory_type', 'locking_type', 'cache_list', 'deleted_list', 'slot_distribution'],
            ['info', 'ttl', 'type', 'num_hits', 'mtime', 'creation_time', 'deletion_time', 'access_time', 'ref_count', 'mem_size'],
            1, 0, [], false, ['num_seg', 'seg_size', 'avail_mem', 'block_lists'], ['num_seg', 'seg_size', 'avail_mem'], true,
        ], $this->returned('larder_store("other", 1); apc_store("a", 1); $info = apc_cache_info("user"); $memory = apc_sma_info();
            return [array_keys($info), array_keys($info["cache_list"][0]), $info["num_entries"], apc_cache_info()["num_entries"], apc_cache_info("", false)["cache_list"], apc_cache_info("filehits"),
                array_keys($memory), array_keys(apc_sma_info(true)), $memory["avail_mem"] <= $memory["seg_size"] && $memory["avail_mem"] > 8e6];'));
    }

    /** Dashboards divide by the seconds since this time. */
    public function testStartTimeIsTheSameInEachCall(): void
    {
        // Clocks are read one after the other, so the segment must be created well before the end of a second, with
        // fast calls.
        $code = '$read = function (): array { do { $began = hrtime(true); $now = time(); $start = apc_cache_info("user", true)["start_time"]; } while (hrtime(true) - $began > 100_000_000); return [$start, $now]; }; ';
        $create = $code . 'usleep((int) (1_300_000 - fmod(microtime(true), 1) * 1_000_000) % 1_000_000); $began = hrtime(true); apc_store("a", 1); $fraction = fmod(microtime(true), 1);
            if ($fraction < 0.3 || $fraction > 0.8 || hrtime(true) - $began > 500_000_000) { return null; }
            for ($i = 0; $i < 25; ++$i) { [$start, $now] = $read(); $starts[] = $start; $ages[] = $now - $start; usleep(50_000); }
            return [array_values(array_unique($starts)), min($ages) > 0];';
        $tries = 0;
        do {
            $segment = ['larder.segment' => 'segment' . ++$tries];
            $read = $this->returned($create, $segment);
        } while ($read === null && $tries < 20);

        self::assertSame([$this->returned($code . 'return [$read()[0]];', $segment), true], $read);
    }

    /** Dashboards divide by this. */
    public function testMemoryIsKnownBeforeTheFirstStore(): void
    {
        self::assertSame([16.0 * 2 ** 20, 16.0 * 2 ** 20, 16 << 20, 16 << 20], $this->returned('return [apc_sma_info()["seg_size"], apc_sma_info()["avail_mem"], xcache_info(XC_TYPE_VAR, 0)["size"], eaccelerator_info()["memorySize"]];', ['xcache.admin.enable_auth' => '0']));
    }

    public function testWithoutACacheNothingIsFound(): void
    {
        $code = 'return [apc_store("a", 1), apc_fetch("a"), apc_exists(["a"]), apc_store(["a" => 1]), apc_inc("a"), apc_delete("a"), apc_clear_cache("user"), @apc_cache_info("user"), @apc_sma_info(), @apc_bin_dump(), @apc_bin_load("")];';

        self::assertSame([false, false, [], ['a' => -1], false, false, true, false, false, false, false], $this->returned($code, ['larder.enabled' => '0']));
    }

    /** @return list<string> */
    private function apcu(int $seed, int $calls): array
    {
        return iterator_to_array(Peer::apcu()->lines([__DIR__ . '/apc-calls.inc', (string) $seed, (string) $calls, 'apcu']), false);
    }

    /** @return list<string> */
    private function calls(int $seed, int $calls, string $family): array
    {
        $output = $this->script([__DIR__ . '/apc-calls.inc', (string) $seed, (string) $calls, $family], ['larder.size' => '8M'])->mustRun()->getOutput();

        return explode("\n", rtrim($output, "\n"));
    }
}
