<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/** eaccelerator_*() of larder/legacy. */
final class EacceleratorTest extends LegacyTestCase
{
    /** Fills the memory several times over. */
    private const FILL = 'for ($i = 0; $i < 20_000; ++$i) { eaccelerator_put("fill$i", str_repeat(chr($i % 256), 2000), 0, EACCELERATOR_SHM_ONLY); } ';

    private ?ServerProcess $server = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
        parent::tearDown();
    }

    public function testValuesComeBackInAnotherProcess(): void
    {
        self::assertSame([null, true, true, true], $this->with('return [eaccelerator_get("a"), eaccelerator_put("a", [1, "two" => null]), eaccelerator_put("object", new ArrayObject([5])), eaccelerator_put("null", null)];'));
        self::assertSame([[1, 'two' => null], 5, null, true, null, true, false, false], $this->with('return [eaccelerator_get("a"), eaccelerator_get("object")[0], eaccelerator_get("null"), eaccelerator_rm("a"), eaccelerator_get("a"), eaccelerator_rm("a"),
            eaccelerator_put("", 1), eaccelerator_put(str_repeat("long", 20_000), 1)];'));
    }

    /**
     * @param list<bool> $found in memory and on disk, then after memory is cleared, then after the files are deleted
     *         instead
     */
    #[TestWith(['EACCELERATOR_SHM_AND_DISK', [true, true, true, true]])]
    #[TestWith(['EACCELERATOR_SHM', [true, true, true, true]])]
    #[TestWith(['EACCELERATOR_SHM_ONLY', [true, false, false, true]])]
    #[TestWith(['EACCELERATOR_DISK_ONLY', [false, true, true, false]])]
    #[TestWith(['EACCELERATOR_NONE', [false, false, false, false]])]
    public function testPlaces(string $place, array $found): void
    {
        $code = 'eaccelerator_put("k", 1, 0, WHERE); $memory = eaccelerator_get("k", EACCELERATOR_SHM_ONLY); $disk = eaccelerator_get("k", EACCELERATOR_DISK_ONLY);
            larder_clear(); $cleared = eaccelerator_get("k", WHERE);
            eaccelerator_put("k", 1, 0, WHERE); eaccelerator_rm("k", EACCELERATOR_DISK_ONLY); $deleted = eaccelerator_get("k", WHERE);
            return array_map(is_int(...), [$memory, $disk, $cleared, $deleted]);';

        self::assertSame($found, $this->with(str_replace('WHERE', $place, $code)));
        $setting = ['EACCELERATOR_SHM_AND_DISK' => 'shm_and_disk', 'EACCELERATOR_SHM' => 'shm', 'EACCELERATOR_SHM_ONLY' => 'shm_only', 'EACCELERATOR_DISK_ONLY' => 'disk_only', 'EACCELERATOR_NONE' => '"none"'][$place];
        self::assertSame($found, $this->with(str_replace('WHERE', 'null', $code), ['eaccelerator.keys' => $setting]), 'by the setting');
    }

    public function testEvictedValuesComeBackFromDisk(): void
    {
        self::assertSame([100, 0, true], $this->with('for ($i = 0; $i < 100; ++$i) { eaccelerator_put("k$i", $i, 0, EACCELERATOR_SHM); } ' . self::FILL . '
            $evicted = 0; $back = 0; $again = 0;
            for ($i = 0; $i < 100; ++$i) { $evicted += (int) (eaccelerator_get("k$i", EACCELERATOR_SHM_ONLY) === null); $back += (int) (eaccelerator_get("k$i", EACCELERATOR_SHM) === $i); }
            for ($i = 0; $i < 100; ++$i) { $again += (int) (eaccelerator_get("k$i", EACCELERATOR_SHM_ONLY) === null); }
            return [$back, $again, $evicted > 0];'));
    }

    public function testControlWithoutDiskEvictedValuesAreLost(): void
    {
        self::assertLessThan(100, $this->with('for ($i = 0; $i < 100; ++$i) { eaccelerator_put("k$i", $i, 0, EACCELERATOR_SHM_ONLY); } ' . self::FILL . '
            return count(array_filter(range(0, 99), fn($i) => eaccelerator_get("k$i", EACCELERATOR_SHM_ONLY) === $i));'));
    }

    public function testWhatIsTooLargeForMemoryIsOnDisk(): void
    {
        self::assertSame([true, 5_000_000, false, null], $this->with('$large = str_repeat("v", 5_000_000);
            return [eaccelerator_put("large", $large), strlen(eaccelerator_get("large")), eaccelerator_put("large", $large, 0, EACCELERATOR_SHM_ONLY), eaccelerator_get("large", EACCELERATOR_SHM_ONLY)];'));
    }

    public function testLifetimesEndInMemoryAndOnDisk(): void
    {
        self::assertSame([2, 2, true, null, null, 2, true, null], $this->with('eaccelerator_put("long", 2, 3600);
            larder_clear(); $first = eaccelerator_get("long"); $second = eaccelerator_get("long", EACCELERATOR_SHM_ONLY); $rest = larder_key_info("eaccelerator:long")["ttl"];
            eaccelerator_put("short", 1, 1); usleep(2_100_000); eaccelerator_put("past", 1);
            return [$first, $second, $rest <= 3600 && $rest > 0, eaccelerator_get("short"), eaccelerator_get("short", EACCELERATOR_DISK_ONLY), eaccelerator_get("long"), eaccelerator_put("past", 1, -1), eaccelerator_get("past")];'));
    }

    /** Zend_Cache_Backend_Eaccelerator stores without expiry by a lifetime of null. */
    public function testNullIsTakenAsByFunctionsOfPhp(): void
    {
        self::assertSame([true, 5, 0, 7, null, false], $this->with('return [eaccelerator_put("k", 5, null), eaccelerator_get("k"), (int) larder_key_info("eaccelerator:k")["ttl"],
            eaccelerator_cache_result("r", fn() => 7, null), eaccelerator_get(null), eaccelerator_put(null, 5)];'));
    }

    /** A value that another process deletes or replaces while it is copied back into memory does not return. */
    public function testPromotionNeverBringsBackAnOldValue(): void
    {
        self::assertSame([0, 0], $this->oldValues('eaccelerator_get("k");'));
    }

    public function testControlPromotionByStoringBringsBackOldValues(): void
    {
        $naive = '$files = Larder\Legacy\Eaccelerator\Disk::open()->files; $value = $files->get("k"); usleep(20); if ($value !== null) { larder_store("eaccelerator:k", $value); }';

        self::assertNotSame([0, 0], $this->oldValues($naive));
    }

    /** @return array{int, int} how often a deleted value, and a replaced value, was found */
    private function oldValues(string $read): array
    {
        $readers = array_map(fn(): Process => $this->process('while (!file_exists("done")) { ' . $read . ' } return 1;', $this->settings()), range(1, 3));
        array_map(static fn(Process $reader) => $reader->start(), $readers);
        $found = $this->with('$found = [0, 0];
            for ($i = 1; $i <= 1000; ++$i) {
                eaccelerator_put("k", -$i); larder_delete("eaccelerator:k"); usleep(50); eaccelerator_rm("k"); $found[0] += (int) (eaccelerator_get("k") !== null);
                usleep(50); $found[0] += (int) (eaccelerator_get("k") !== null);
                eaccelerator_put("k", -$i); larder_delete("eaccelerator:k"); usleep(50); eaccelerator_put("k", $i); $found[1] += (int) (eaccelerator_get("k") !== $i);
                usleep(50); $found[1] += (int) (eaccelerator_get("k") !== $i);
            }
            touch("done"); return $found;');
        array_map(static fn(Process $reader): int => $reader->wait(), $readers);
        self::assertIsArray($found);
        self::assertIsInt($found[0]);
        self::assertIsInt($found[1]);

        return [$found[0], $found[1]];
    }

    public function testVirtualHostsAndNamespacesAreApart(): void
    {
        $code = 'eaccelerator_put("k", $_SERVER["SERVER_NAME"] ?? "none"); return [eaccelerator_get("k"), array_column(eaccelerator_list_keys(), "name")];';

        self::assertSame(['none', ['k']], $this->with($code));
        self::assertSame(['a.example', [':k']], $this->with('$_SERVER["SERVER_NAME"] = "a.example"; ' . $code));
        self::assertSame(['b.example', [':k']], $this->with('$_SERVER["SERVER_NAME"] = "b.example"; ' . $code));
        self::assertSame(['c.example', [':k']], $this->with('$_SERVER["SERVER_NAME"] = "c.example"; ' . $code, ['eaccelerator.name_space' => 'shop']));
        self::assertSame(['a.example', null, 'c.example'], $this->with('$_SERVER["SERVER_NAME"] = "a.example"; $own = eaccelerator_get("k"); $_SERVER["SERVER_NAME"] = "d.example"; $none = eaccelerator_get("k");
            return [$own, $none, larder_fetch("eaccelerator:shop:k")];'));
    }

    public function testListHasTheShapeOfEaccelerator(): void
    {
        self::assertSame([['name', 'ttl', 'created', 'size'], 'k', true, true, true], $this->with('$before = time(); eaccelerator_put("k", 1, 100); $entry = eaccelerator_list_keys()[0]; $after = time();
            $isNow = static fn(int $time): bool => $time >= $before - 1 && $time <= $after + 1;
            return [array_keys($entry), $entry["name"], $isNow($entry["ttl"] - 100), $isNow($entry["created"]), $entry["size"] > 0];'));
    }

    public function testListReadsNoValue(): void
    {
        $this->with('class Gone { public int $n = 1; } foreach (["a", "b"] as $key) { eaccelerator_put($key, new Gone()); } eaccelerator_put("c", 1); return 1;');

        self::assertSame([['a', 'b', 'c'], [], [false, false, false], []], $this->with('$loaded = []; spl_autoload_register(function (string $class) use (&$loaded): void { $loaded[] = $class; });
            Larder\Legacy\Eaccelerator\Disk::open(); $loaded = []; $names = array_column(eaccelerator_list_keys(), "name"); sort($names);
            $used = array_map(fn(string $key): bool => larder_key_info("eaccelerator:$key")["used"], $names); $seen = $loaded;
            array_map(eaccelerator_rm(...), $names); return [$names, $seen, $used, eaccelerator_list_keys()];'));
    }

    public function testLockExcludesOtherProcessesAndEndsWithTheRequest(): void
    {
        $work = 'for ($i = 0; $i < 200; ++$i) { eaccelerator_lock("count"); eaccelerator_lock("count"); $n = (int) @file_get_contents("n"); usleep(100); file_put_contents("n", $n + 1); UNLOCK }';

        self::assertSame(800, $this->counted(str_replace('UNLOCK', 'eaccelerator_unlock("count");', $work), 4));
        self::assertSame(200, $this->counted(str_replace(['UNLOCK', '< 200'], ['', '< 50'], $work), 4), 'the end of the request releases it');
    }

    public function testControlWithoutLockCountsAreLost(): void
    {
        // Perhaps more than 800: two processes that write at once may leave digits of both.
        self::assertNotSame(800, $this->counted('for ($i = 0; $i < 200; ++$i) { $n = (int) @file_get_contents("n"); usleep(100); file_put_contents("n", $n + 1); }', 4));
    }

    public function testKilledOwnersLockPassesOn(): void
    {
        $owner = $this->process('eaccelerator_lock("k"); touch("locked"); sleep(600);', $this->settings());
        $owner->start();
        $this->waitFor(fn(): bool => file_exists("$this->folder/locked"));
        self::assertFalse($this->with('return eaccelerator_unlock("k");'), 'another process holds it');
        $waiter = $this->process('touch("waits"); return eaccelerator_lock("k") && eaccelerator_unlock("k");', $this->settings());
        $waiter->start();
        $this->waitFor(fn(): bool => file_exists("$this->folder/waits"));
        usleep(100_000);
        self::assertTrue($waiter->isRunning());
        $owner->signal(9);
        $waiter->wait();

        self::assertSame('true', $waiter->getOutput());
        self::assertTrue($this->with('return eaccelerator_unlock("k");'), 'nobody holds it');
    }

    #[RequiresPhpExtension('pcntl')]
    public function testLockStaysWithTheParentOfAFork(): void
    {
        $parent = $this->process('eaccelerator_lock("k"); if (pcntl_fork() === 0) { exit((int) eaccelerator_unlock("k")); } pcntl_wait($status); file_put_contents("child", pcntl_wexitstatus($status)); while (!file_exists("end")) { usleep(1000); } return 1;', $this->settings());
        $parent->start();
        $this->waitFor(fn(): bool => (string) @file_get_contents("$this->folder/child") !== '');

        self::assertSame(['0', false], [file_get_contents("$this->folder/child"), $this->with('return eaccelerator_unlock("k");')]);
        touch("$this->folder/end");
        $parent->wait();
        self::assertTrue($this->with('return eaccelerator_unlock("k");'));
    }

    public function testOutputAndResultsComeFromCallables(): void
    {
        self::assertSame(['1122', [true, true, true, true], [3, 3, null, null], 4], $this->with('ob_start(); $calls = 0;
            $output = function (string $said) use (&$calls) { ++$calls; echo $said; };
            $kept = [eaccelerator_cache_output("1", fn() => $output("1")), eaccelerator_cache_output("1", fn() => $output("x")), eaccelerator_cache_output("2", fn() => $output("2")), eaccelerator_cache_output("2", fn() => $output("x"))];
            $results = [eaccelerator_cache_result("3", function () use (&$calls) { ++$calls; return 3; }), eaccelerator_cache_result("3", fn() => 4),
                eaccelerator_cache_result("null", function () use (&$calls) { ++$calls; return null; }), eaccelerator_cache_result("null", fn() => 5)];
            return [ob_get_clean(), $kept, $results, $calls];'));
        self::assertSame(['11', false, [3, 4]], $this->with('ob_start(); $output = fn() => print(1); eaccelerator_cache_output("1", $output); $kept = eaccelerator_cache_output("1", $output);
            return [ob_get_clean(), $kept, [eaccelerator_cache_result("3", fn() => 3), eaccelerator_cache_result("3", fn() => 4)]];', ['eaccelerator.content' => '"none"']));
    }

    public function testCodeIsNeverEvaluated(): void
    {
        self::assertSame([2, false], $this->with('$refused = 0;
            foreach (["eaccelerator_cache_output", "eaccelerator_cache_result"] as $function) { try { $function("k", "touch(\"evaluated\");"); } catch (TypeError) { ++$refused; } }
            return [$refused, file_exists("evaluated")];'));
    }

    public function testOutputOfAFailedFunctionIsNotKept(): void
    {
        self::assertSame(['part', null, 'whole'], $this->with('ob_start(); try { eaccelerator_cache_output("k", function () { echo "part"; throw new LogicException(); }); } catch (LogicException) {}
            $part = ob_get_clean(); ob_start(); $kept = eaccelerator_get("k"); eaccelerator_cache_output("k", fn() => print("whole")); return [$part, $kept, ob_get_clean()];'));
    }

    public function testPagesAreKeptWithTheirHeaders(): void
    {
        $port = $this->serve('file_put_contents("runs", "x", FILE_APPEND); header("X-Before: 1"); eaccelerator_cache_page($_GET["page"], 60); header("Content-Type: text/plain;charset=UTF-8"); header("X-Own: 2");
            echo "page {$_GET["page"]} ", filesize("runs"); ');

        [$first, $body] = $this->request($port, '?page=a');
        self::assertSame('page a 1', $body);
        self::assertContains('X-Own: 2', $first);
        $tag = array_values((array) preg_grep('/^ETag: "eaccelerator-\d+"$/', $first))[0] ?? '';
        self::assertIsString($tag);
        self::assertNotSame('', $tag);
        [$second, $body] = $this->request($port, '?page=a');
        self::assertSame('page a 1', $body);
        self::assertContains('X-Own: 2', $second);
        self::assertContains('Content-Type: text/plain;charset=UTF-8', $second);
        self::assertContains($tag, $second);
        self::assertSame('page b 3', $this->request($port, '?page=b')[1]);
        [$unchanged, $body] = $this->request($port, '?page=a', ['If-None-Match: ' . substr($tag, 6)]);
        self::assertSame(['HTTP/1.0 304 Not Modified', ''], [str_replace('/1.1', '/1.0', $unchanged[0]), $body]);
        $this->with('$_SERVER["SERVER_NAME"] = "127.0.0.1"; eaccelerator_rm_page("a"); return 1;');
        self::assertSame('page a 5', $this->request($port, '?page=a')[1]);
    }

    public function testBrowserIsNotSentItsPageAgainWhereServerIsReplaced(): void
    {
        $port = $this->serve(self::REPLACE_SERVER . 'eaccelerator_cache_page("page"); echo "page";');
        $tag = array_values((array) preg_grep('/^ETag: /', $this->request($port, '')[0]))[0] ?? '';
        self::assertIsString($tag);
        [$headers, $body] = $this->request($port, '', ['If-None-Match: ' . substr($tag, 6)]);

        self::assertSame(['304', ''], [substr($headers[0], 9, 3), $body]);
    }

    #[TestWith(['setcookie("session", "1");'])]
    #[TestWith(['http_response_code(404);'])]
    #[TestWith(['header("Cache-Control: max-age=5, Private");'])]
    #[TestWith(['header("Set-Cookie : session=1");'])]
    #[TestWith(['header("Cache-Control : private");'])]
    #[TestWith(['header("Content-Encoding : gzip"); echo gzencode("page");'])]
    #[TestWith(['header("Cache-Control: no-cache");'])]
    #[TestWith(['ini_set("session.cache_limiter", ""); ini_set("session.use_cookies", "0"); session_save_path("."); session_id("of-a-visitor"); session_start(); session_write_close();'])]
    #[TestWith(['header("Content-Encoding: gzip"); echo gzencode("page");'])]
    #[TestWith(['echo "part"; ob_flush();'])]
    #[TestWith(['echo "part"; ob_end_clean(); echo "another page";'])]
    #[TestWith(['ini_set("display_errors", "0"); undefined();'])]
    public function testPageThatIsNotForAllIsNotKept(string $code): void
    {
        $port = $this->serve('eaccelerator_cache_page("page"); file_put_contents("runs", "x", FILE_APPEND); ' . $code);
        foreach ([1, 2] as $i) { // PHP's own client refuses a blank before the colon
            $connection = stream_socket_client(\sprintf('tcp://%s:%d', Address::HOST, $port));
            self::assertIsResource($connection);
            fwrite($connection, "GET / HTTP/1.0\r\n\r\n");
            self::assertStringStartsWith('HTTP/', (string) stream_get_contents($connection));
        }

        self::assertSame(2, filesize("$this->folder/runs"));
    }

    /** @param list<string> $bodies of two requests; the second is of the stored page, if it is stored */
    #[TestWith(['throw new Exception("broken");', ['a broken1', 'a broken2']])]
    #[TestWith(['set_exception_handler(fn($error) => $before($error)); throw new Exception("chained");', ['a chained1', 'a chained2']])]
    #[TestWith(['try { throw new Exception("caught"); } catch (Exception $error) { echo "caught"; }', ['a caught', 'a caught']])]
    #[TestWith(['', ['a ', 'a ']])]
    public function testPageThatAnExceptionHandlerFinishesIsNotKept(string $code, array $bodies): void
    {
        $port = $this->serve('set_exception_handler(function (Throwable $error) { echo $error->getMessage(), filesize("runs"); });
            eaccelerator_cache_page("page"); $before = set_exception_handler(null); restore_exception_handler();
            file_put_contents("runs", "x", FILE_APPEND); echo "a "; ' . $code);

        self::assertSame($bodies, [$this->request($port, '')[1], $this->request($port, '')[1]]);
        self::assertSame(\count(array_unique($bodies)), filesize("$this->folder/runs"));
    }

    public function testAdministrationIsForAllowedScripts(): void
    {
        $code = '<?php ' . $this->loading() . 'eaccelerator_put("k", 1); $warnings = 0; set_error_handler(function () use (&$warnings) { ++$warnings; return true; });
            eaccelerator_clean(); eaccelerator_caching(false); eaccelerator_optimizer(false); eaccelerator_purge();
            chdir(__DIR__ . "/../admin");
            echo json_encode([eaccelerator_cached_scripts(), array_map("eaccelerator_removed_scripts", [1])[0], eaccelerator_clear(), eaccelerator_get("k"), $warnings]);';
        mkdir("$this->folder/admin");
        mkdir("$this->folder/admin2");
        file_put_contents("$this->folder/admin/page.php", $code);
        file_put_contents("$this->folder/admin2/page.php", $code);
        $said = fn(string $page, string $allowed): string => $this->script(["$this->folder/$page"], ['eaccelerator.allowed_admin_path' => $allowed] + $this->settings())->mustRun()->getOutput();

        self::assertSame('[null,null,null,1,7]', $said('admin/page.php', ''));
        self::assertSame('[[],[],null,null,0]', $said('admin/page.php', "$this->folder/admin"));
        self::assertSame('[[],[],null,null,0]', $said('admin/page.php', "/none:$this->folder/admin/"));
        self::assertSame('[null,null,null,1,7]', $said('admin2/page.php', "$this->folder/admin"));
    }

    public function testInformationHasTheShapeOfEaccelerator(): void
    {
        self::assertSame([['version', 'shm_type', 'sem_type', 'logo', 'cache', 'optimizer', 'memorySize', 'memoryAvailable', 'memoryAllocated', 'cachedScripts', 'removedScripts', 'cachedKeys'], 2, true], $this->with('eaccelerator_put("a", 1); eaccelerator_put("b", 1);
            $info = eaccelerator_info(); return [array_keys($info), $info["cachedKeys"], $info["memorySize"] === $info["memoryAvailable"] + $info["memoryAllocated"]];'));
    }

    public function testFolderThatOthersCanWriteIsNotUsed(): void
    {
        mkdir("$this->folder/open");
        chmod("$this->folder/open", 0o777);
        $read = $this->with('$warnings = []; set_error_handler(function ($level, $message) use (&$warnings) { $warnings[] = $message; return true; });
            return [[eaccelerator_put("k", 1), eaccelerator_put("k", 1, 0, EACCELERATOR_DISK_ONLY), eaccelerator_get("k"), eaccelerator_rm("k"), scandir("open")], $warnings];', ['eaccelerator.cache_dir' => "$this->folder/open"]);

        self::assertIsArray($read);
        [$said, $warnings] = $read;

        self::assertSame([true, false, 1, true, ['.', '..']], $said);
        self::assertIsArray($warnings);
        self::assertCount(1, $warnings);
        self::assertIsString($warnings[0]);
        self::assertStringStartsWith('eAccelerator: nothing is kept on disk. ', $warnings[0]);
    }

    public function testWithoutMemoryTheDiskIsUsed(): void
    {
        self::assertSame([true, 1, false, false, null, true], $this->with('return [eaccelerator_put("k", 1), eaccelerator_get("k"), eaccelerator_put("m", 1, 0, EACCELERATOR_SHM_ONLY), eaccelerator_lock("k"), eaccelerator_list_keys(), eaccelerator_gc()];', ['larder.enabled' => '0']));
    }

    /** @return array<string, string> */
    private function settings(): array
    {
        return ['eaccelerator.cache_dir' => "$this->folder/disk"];
    }

    /** @param array<string, string> $settings */
    private function with(string $code, array $settings = []): mixed
    {
        return $this->returned($code, $settings + $this->settings());
    }

    private function counted(string $code, int $processes): int
    {
        file_put_contents("$this->folder/n", '0');
        $this->inParallel($processes, $code, $this->settings());

        return (int) file_get_contents("$this->folder/n");
    }

    /** @return int port of a web server that runs this code */
    private function serve(string $code): int
    {
        $page = "$this->folder/page.php";
        file_put_contents($page, '<?php chdir(' . var_export($this->folder, true) . '); ' . $this->loading() . $code);
        $log = "$this->folder/server.log";
        [$this->server, $port] = Address::onFreePort(fn(int $port): ServerProcess => ServerProcess::start(
            $this->command(['-S', Address::HOST . ":$port", $page], $this->settings()),
            $log,
            static fn(): bool => str_contains((string) @file_get_contents($log), 'started'),
        ));

        return $port;
    }

    /**
     * @param list<string> $headers
     * @return array{list<string>, string} headers, body
     */
    private function request(int $port, string $query, array $headers = []): array
    {
        $answer = fopen(\sprintf('http://%s:%d/%s', Address::HOST, $port, $query), 'r', false, stream_context_create(['http' => ['ignore_errors' => true, 'header' => $headers]]));
        self::assertIsResource($answer);
        /** @var list<string> $received */
        $received = stream_get_meta_data($answer)['wrapper_data'] ?? [];

        return [$received, (string) stream_get_contents($answer)];
    }
}
