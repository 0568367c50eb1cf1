<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use PHPUnit\Framework\Attributes\TestWith;

/** Tests the older functions after an application has replaced $_SERVER. */
final class ReplacedServerTest extends LegacyTestCase
{
    public function testEacceleratorKeepsTheVirtualHost(): void
    {
        self::assertSame([true, 5, [':k'], 5, true], $this->with('$put = eaccelerator_put("k", 5); return [$put, eaccelerator_get("k"), array_column(eaccelerator_list_keys(), "name"), larder_fetch("eaccelerator:a.example:k"), eaccelerator_lock("k")];'));
    }

    public function testPageIsKept(): void
    {
        $page = 'eaccelerator_cache_page("page"); echo "page"; return 1;';
        self::assertSame('page1', $this->printed($page));
        self::assertSame('page1', $this->printed($page));
    }

    /** @param array<string, string> $settings */
    #[TestWith([[], 'xcache:k'])]
    #[TestWith([['xcache.var_namespace' => 'SHOP', 'xcache.var_namespace_mode' => '1'], "xcache:from server\0k"])]
    public function testXcacheKeepsTheNamespace(array $settings, string $key): void
    {
        self::assertSame([true, 5, 5], $this->with('$set = xcache_set("k", 5); return [$set, xcache_get("k"), larder_fetch(' . var_export($key, true) . ')];', $settings));
    }

    public function testXcacheKeepsTheLogin(): void
    {
        self::assertSame(1, $this->with('return xcache_count(XC_TYPE_VAR);', ['xcache.admin.user' => 'admin', 'xcache.admin.pass' => md5('secret')]));
        self::assertSame('XCache Authentication Failed', $this->printed('return xcache_count(XC_TYPE_VAR);', ['xcache.admin.user' => 'admin', 'xcache.admin.pass' => md5('other')]));
    }

    /** A worker loads the package once, and gets a new array for each request. */
    public function testArrayIsReadAtEachCall(): void
    {
        self::assertSame(['b.example', null, 'b.example'], $this->with('$_SERVER = ["SERVER_NAME" => "b.example"]; eaccelerator_put("k", "b.example"); $own = eaccelerator_get("k");
            $_SERVER = ["SERVER_NAME" => "c.example"]; $other = eaccelerator_get("k"); $_SERVER["SERVER_NAME"] = "b.example"; return [$own, $other, eaccelerator_get("k")];'));
    }

    /** @param array<string, string> $settings */
    private function with(string $code, array $settings = []): mixed
    {
        return json_decode($this->printed($code, $settings), true, flags: \JSON_THROW_ON_ERROR);
    }

    /** @param array<string, string> $settings */
    private function printed(string $code, array $settings = []): string
    {
        $process = $this->process(self::REPLACE_SERVER . $code, $settings + ['eaccelerator.cache_dir' => "$this->folder/disk"]);
        $process->setEnv(['SERVER_NAME' => 'a.example', 'SHOP' => 'from server', 'PHP_AUTH_USER' => 'admin', 'PHP_AUTH_PW' => 'secret']);
        $process->run();
        self::assertSame('', $process->getErrorOutput());

        return $process->getOutput();
    }
}
