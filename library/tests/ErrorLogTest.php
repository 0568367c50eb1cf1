<?php

declare(strict_types=1);

namespace Larder\Tests;

use PHPUnit\Framework\TestCase;

/** What a cache without a logger writes to PHP's error log. */
final class ErrorLogTest extends TestCase
{
    public function testEntryIsOneLine(): void
    {
        $log = Servers::directory('error-log') . '/' . bin2hex(random_bytes(4));
        PhpProcess::run(\sprintf('ini_set("error_log", %s); (new Larder\ErrorLog())->warning("{store} says {reason}", ["store" => "redis", "reason" => "a\n[forged] \x1b[2J b", "exception" => new Exception()]);', var_export($log, true)));
        $said = (string) file_get_contents($log);
        self::assertStringEndsWith("larder: redis says a [forged]  [2J b\n", $said);
        self::assertSame(1, substr_count($said, "\n"));
    }
}
