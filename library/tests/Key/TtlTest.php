<?php

declare(strict_types=1);

namespace Larder\Tests\Key;

use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('Zend OPcache')]
final class TtlTest extends TestCase
{
    /** Opcache's optimizer turns !($a >= $b) into $a < $b, which is false for NAN. */
    public function testNanIsRefusedUnderOpcache(): void
    {
        $code = '
            $cache = Larder\Cache::open("array:");
            foreach ([
                fn() => $cache->set("k", 1, NAN),
                fn() => $cache->lock("k", 1, NAN),
                fn() => $cache->lock("k", NAN),
                fn() => $cache->remember("k", NAN, fn() => 1),
                fn() => $cache->remember("k", 1, fn() => 1, stale: NAN),
                fn() => $cache->remember("k", 1, fn() => 1, wait: NAN),
                fn() => $cache->remember("k", 1, fn() => 1, lease: NAN),
                fn() => $cache->remember("k", 1, fn() => 1, beta: NAN),
                fn() => $cache->remember("k", 1, fn() => 1, jitter: NAN),
                fn() => new Larder\Session\Handler($cache, wait: NAN),
                fn() => new Larder\Session\Handler($cache, lockSeconds: NAN),
            ] as $number => $call) {
                try {
                    $call();
                    echo "$number is accepted ";
                } catch (Larder\Exception\InvalidTtl) {
                    echo "refused ";
                }
            }';
        $said = PhpProcess::run($code, ['-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0']);
        self::assertSame(str_repeat('refused ', 11), $said);
    }
}
