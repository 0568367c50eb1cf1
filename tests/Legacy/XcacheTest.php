<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use PHPUnit\Framework\Attributes\TestWith;

/** xcache_*() of larder/legacy. */
final class XcacheTest extends LegacyTestCase
{
    private const NO_LOGIN = ['xcache.admin.enable_auth' => '0'];

    public function testVariablesComeBackInAnotherProcess(): void
    {
        self::assertSame([null, true, true, true], $this->returned('return [xcache_get("a"), xcache_set("a", [1, "two" => null]), xcache_set("nothing", null), xcache_set(5, 1.5)];'));
        self::assertSame([[1, 'two' => null], true, true, null, 1.5, true, false, null, false], $this->returned('return [xcache_get("a"), xcache_isset("a"), xcache_isset("nothing"), xcache_get("nothing"), xcache_get("5"),
            xcache_unset("a"), xcache_unset("a"), xcache_get("a"), xcache_isset("a")];'));
    }

    public function testCountsFromWhateverIsThere(): void
    {
        self::assertSame([1, -4, 8, 1, 0, \PHP_INT_MAX, \PHP_INT_MIN, 1], $this->returned('xcache_set("text", "7 dwarfs"); xcache_set("list", [1, 2]); xcache_set("null", null); xcache_set("most", PHP_INT_MAX);
            return [xcache_inc("new"), xcache_dec("new", 5), xcache_inc("text"), xcache_dec("list", 0), xcache_inc("null", 0), xcache_inc("most"), xcache_dec("least", PHP_INT_MAX) ? xcache_dec("least", 2) : 0,
                xcache_inc(str_repeat("long", 20_000))];'));
    }

    public function testFloatsOutOfRangeCountAsTheLimit(): void
    {
        [$counted, $warnings] = $this->returnedAndWarned('foreach (["most" => 1e20, "least" => -1e20, "none" => NAN, "half" => 2.5] as $name => $value) { xcache_set($name, $value); $counted[] = xcache_inc($name, 0); } return $counted;');
        self::assertSame([\PHP_INT_MAX, \PHP_INT_MIN, 0, 2], $counted);
        self::assertSame([], $warnings);
    }

    public function testCountingRenewsTheLifetime(): void
    {
        [$short, $long, $none] = (array) $this->returned('$ttl = fn(?int $ttl): float => xcache_inc("n", 1, $ttl) > 0 ? larder_key_info("xcache:n")["ttl"] : -1.0;
            return [$ttl(1800), $ttl(3600), $ttl(null)];');
        self::assertTrue($short > 0 && $short <= 1800 && $long > 1800 && $long <= 3600);
        self::assertSame(0.0, $none);
    }

    public function testParallelProcessesLoseNoCount(): void
    {
        self::assertSame(20_000, $this->countedInParallel('xcache_inc("n", 2); xcache_dec("n");'));
    }

    public function testControlCountingByGetAndSetLosesCounts(): void
    {
        self::assertLessThan(20_000, $this->countedInParallel('xcache_set("n", xcache_get("n") + 1);'));
    }

    private function countedInParallel(string $count): mixed
    {
        $this->inParallel(4, 'for ($i = 0; $i < 5000; ++$i) { ' . $count . ' }');

        return $this->returned('return xcache_get("n");');
    }

    public function testLifetimesFollowTheSettings(): void
    {
        $code = 'xcache_set("default", 1); xcache_set("long", 1, 1000); xcache_set("never", 1, 0); xcache_set("short", 1, 5); xcache_set("over", 1); xcache_set("over", 1, -1);
            return array_map(fn($name) => larder_key_info("xcache:$name") === null ? null : (int) ceil(larder_key_info("xcache:$name")["ttl"]), ["default", "long", "never", "short", "over"]);';

        self::assertSame([0, 1000, 0, 5, null], $this->returned($code));
        self::assertSame([60, 1000, 0, 5, null], $this->returned($code, ['xcache.var_ttl' => '60']));
        self::assertSame([100, 100, 100, 5, null], $this->returned($code, ['xcache.var_maxttl' => '100']));
    }

    /** Zend_Cache_Backend_Xcache stores without expiry by a lifetime of null, whatever xcache.var_ttl is. */
    public function testNullIsTakenAsByFunctionsOfPhp(): void
    {
        self::assertSame([true, 0, 5, 0, 60], $this->returned('$ttl = fn(string $name) => (int) ceil(larder_key_info("xcache:$name")["ttl"]);
            return [xcache_set("k", 5, null), $ttl("k"), xcache_inc("k", null, null), $ttl("k"), xcache_inc("k") ? $ttl("k") : null];', ['xcache.var_ttl' => '60']));
    }

    public function testDeletesByPrefixInItsNamespaceOnly(): void
    {
        self::assertSame([false, false, true, true, true], $this->returned('xcache_set("user:1", 1); xcache_set("user:2", 1); xcache_set("page", 1); larder_store("user:1", 1);
            xcache_set_namespace("n"); xcache_set("user:1", 1); xcache_set_namespace("");
            xcache_unset_by_prefix("user:"); xcache_unset_by_prefix(str_repeat("long", 20_000));
            $found = [xcache_isset("user:1"), xcache_isset("user:2"), xcache_isset("page"), larder_exists("user:1")];
            xcache_set_namespace("n");
            return [...$found, xcache_isset("user:1")];'));
    }

    /** @param array<string, string> $settings */
    #[TestWith([[], ''])]
    #[TestWith([['xcache.var_namespace' => 'shop'], "shop\0"])]
    #[TestWith([['xcache.var_namespace' => 'SHOP', 'xcache.var_namespace_mode' => '1'], "from server\0"])]
    #[TestWith([['xcache.var_namespace' => 'NONE', 'xcache.var_namespace_mode' => '1'], ''])]
    #[TestWith([['xcache.var_namespace' => 'uid', 'xcache.var_namespace_mode' => '2'], "USER\0"])]
    public function testNamespaces(array $settings, string $namespace): void
    {
        $namespace = str_replace('USER', (string) posix_getuid(), $namespace);
        self::assertSame([[$namespace . 'a' => 1, $namespace . "inner\0a" => 2], 1, 2], $this->returned('$_SERVER["SHOP"] = "from server"; xcache_set("a", 1); xcache_set_namespace("inner"); xcache_set("a", 2);
            $inner = xcache_get("a"); xcache_set_namespace(""); $outer = xcache_get("a"); xcache_admin_namespace();
            $all = []; foreach (xcache_list(XC_TYPE_VAR, 0)["cache_list"] as $entry) { $all[$entry["name"]] = xcache_get($entry["name"]); } asort($all);
            return [$all, $outer, $inner];', $settings + self::NO_LOGIN));
    }

    public function testObjectIsRefused(): void
    {
        self::assertSame(['Objects cannot be stored in the variable cache. Use serialize before xcache_set', false], $this->returned('try { xcache_set("a", new ArrayObject()); } catch (Error $error) {}
            return [$error->getMessage(), xcache_isset("a")];'));
    }

    public function testAdministrationHasTheShapesOfXcache(): void
    {
        self::assertSame([
            [1, 1, '3.2.0'],
            ['slots', 'compiling', 'disabled', 'updates', 'misses', 'hits', 'skips', 'clogs', 'ooms', 'errors', 'cached', 'deleted', 'gc', 'hits_by_hour', 'hits_by_second', 'size', 'avail', 'can_readonly', 'free_blocks'],
            2, 24, true,
            ['cache_list', 'deleted_list'],
            ['hits', 'ctime', 'atime', 'hvalue', 'name', 'refcount', 'size'],
            null, 0, 1,
        ], $this->returned('xcache_set("a", 1); xcache_set("b", 1); larder_store("c", 1); $info = xcache_info(XC_TYPE_VAR, 0); $list = xcache_list(XC_TYPE_VAR, 0);
            return [[xcache_count(XC_TYPE_VAR), xcache_count(XC_TYPE_PHP), XCACHE_VERSION], array_keys($info), $info["cached"], count($info["hits_by_hour"]), $info["size"] >= $info["avail"] && $info["avail"] > 0,
                array_keys($list), array_keys($list["cache_list"][0]), xcache_clear_cache(XC_TYPE_VAR), count(xcache_list(XC_TYPE_VAR, 0)["cache_list"]), larder_fetch("c")];', self::NO_LOGIN));
    }

    public function testUnknownCachesAreRefused(): void
    {
        $code = '$warnings = []; set_error_handler(function ($level, $message) use (&$warnings) { $warnings[] = $message; });
            return [xcache_count(7), xcache_info(XC_TYPE_VAR, 1), xcache_info(XC_TYPE_VAR, -1), xcache_list(XC_TYPE_PHP, 1), xcache_clear_cache(7), xcache_clear_cache(XC_TYPE_VAR, -1), xcache_enable_cache(XC_TYPE_VAR, 2, false),
                xcache_coredump(), $warnings];';

        self::assertSame([false, false, false, false, false, null, false, null, [
            'xcache_count(): Unknown type 7', 'xcache_info(): Cache not exists', 'xcache_info(): Cache not exists', 'xcache_list(): Cache not exists', 'xcache_clear_cache(): Unknown type 7', 'xcache_enable_cache(): Cache not exists',
            'xcache_coredump(): xcache.test must be enabled to test xcache_coredump()',
        ]], $this->returned($code, self::NO_LOGIN));
    }

    /** Kohana clears this one to delete everything, with an error handler that throws. */
    public function testCacheOfFilesIsThatOfOpcache(): void
    {
        $code = 'xcache_set("a", 5);
            return [xcache_clear_cache(XC_TYPE_PHP, 0), xcache_clear_cache(XC_TYPE_PHP), function_exists("opcache_get_status") && opcache_get_status(false)["restart_pending"], xcache_get("a")];';

        self::assertSame([null, null, true, 5], $this->returned($code, ['zend_extension' => 'opcache', 'opcache.enable_cli' => '1'] + self::NO_LOGIN));
        self::assertSame([null, null, false, 5], $this->returned($code, self::NO_LOGIN), 'without OPcache');
    }

    public function testCacheOfFilesIsEmpty(): void
    {
        self::assertSame([[0, 0, 0, 0], true, [], null, 5], $this->returned('xcache_set("a", 5); xcache_get("a"); $files = xcache_info(XC_TYPE_PHP, 0); $variables = xcache_info(XC_TYPE_VAR, 0); $enabled = xcache_enable_cache(XC_TYPE_PHP, 0, false);
            return [[$files["cached"], $files["hits"], $files["updates"], $files["disabled"]], array_keys($files) === array_keys($variables) && $files["size"] === $variables["size"], xcache_list(XC_TYPE_PHP, 0)["cache_list"], $enabled, xcache_get("a")];', self::NO_LOGIN));
    }

    public function testDisabledCacheFindsNothing(): void
    {
        self::assertSame([null, null, null, false, false, null, null, 5], $this->returned('xcache_set("a", 5);
            return [xcache_enable_cache(XC_TYPE_VAR, 0, false), xcache_get("a"), xcache_set("a", 6), xcache_isset("a"), xcache_unset("a"), xcache_inc("a"), xcache_unset_by_prefix("a"), xcache_enable_cache(XC_TYPE_VAR) ?? xcache_get("a")];', self::NO_LOGIN));
    }

    public function testAdministrationAsksForTheLogin(): void
    {
        $login = ['xcache.admin.user' => 'admin', 'xcache.admin.pass' => md5('secret')];
        $call = 'xcache_set("a", 1); try { xcache_clear_cache(XC_TYPE_VAR, 0); } catch (Error) { return "error"; } return xcache_get("a");';

        self::assertSame('error', $this->returned($call), 'no login configured');
        self::assertNull($this->returned('$_SERVER["PHP_AUTH_USER"] = "admin"; $_SERVER["PHP_AUTH_PW"] = "secret"; ' . $call, $login));
        foreach (['', '$_SERVER["PHP_AUTH_USER"] = "admin"; $_SERVER["PHP_AUTH_PW"] = "wrong"; ', '$_SERVER["PHP_AUTH_USER"] = "other"; $_SERVER["PHP_AUTH_PW"] = "secret"; ', '$_SERVER["PHP_AUTH_USER"] = ["admin"]; $_SERVER["PHP_AUTH_PW"] = ["secret"]; '] as $given) {
            $process = $this->process($given . $call, $login);
            $process->run();
            self::assertSame([1, 'XCache Authentication Failed'], [$process->getExitCode(), $process->getOutput()]);
            self::assertSame(1, $this->returned('return xcache_get("a");'));
        }
        foreach (['xcache_admin_namespace()', 'xcache_count(XC_TYPE_VAR)', 'xcache_info(XC_TYPE_VAR, 0)', 'xcache_list(XC_TYPE_VAR, 0)', 'xcache_enable_cache(XC_TYPE_VAR)'] as $function) {
            $process = $this->process("return $function;", $login);
            $process->run();
            self::assertSame('XCache Authentication Failed', $process->getOutput(), $function);
        }
    }

    public function testWithoutACacheNothingIsFound(): void
    {
        self::assertSame([false, null, false, false, 1], $this->returned('return [xcache_set("a", 1), xcache_get("a"), xcache_isset("a"), xcache_unset("a"), xcache_inc("a")];', ['larder.enabled' => '0']));
    }
}
