<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Legacy;

use PHPUnit\Framework\Attributes\TestWith;

/** A class of 2008 over the three caches, with the values of the study of that year. */
final class OneClassTest extends LegacyTestCase
{
    #[TestWith(['eaccelerator'])]
    #[TestWith(['apc'])]
    #[TestWith(['xcache'])]
    public function testClassOfThatTimeRuns(string $cache): void
    {
        $settings = ['eaccelerator.cache_dir' => "$this->folder/disk", 'xcache.admin.enable_auth' => '0', 'xcache.var_ttl' => '60'];
        $begin = 'require ' . var_export(__DIR__ . '/one-class.inc', true) . '; $_SERVER["SERVER_NAME"] = "example.org"; $cache = new One_Cache(' . var_export($cache, true) . ');
            $sizes = [45 => 1010, 450 => 10_081, 4500 => 101_600, 45_000 => 1_028_299]; mt_srand(8);
            $value = fn(int $numbers) => array_map(fn() => mt_rand(), range(1, $numbers)); ';

        self::assertSame([$cache, [true, true, true, true]], $this->returned($begin . 'return [$cache->cache, array_map(fn($n) => $cache->set("k$n", $value($n)), array_keys($sizes))];', $settings));
        self::assertSame([[true, true, true, true], false, true, false, true, false], $this->returned($begin . '$same = array_map(fn($n) => $cache->get("k$n") === $value($n), array_keys($sizes));
            $none = $cache->get("none"); $deleted = $cache->delete("k45"); $after = $cache->get("k45"); $other = $cache->get("k450") !== false; $cache->clear();
            return [$same, $none, $deleted, $after, $other, $cache->get("k450")];', $settings));
    }

    public function testFindsACacheByItself(): void
    {
        self::assertSame('eaccelerator', $this->returned('require ' . var_export(__DIR__ . '/one-class.inc', true) . '; return (new One_Cache())->cache;'));
    }
}
