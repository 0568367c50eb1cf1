<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Testing\AssertsThrows;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

/** Tests what a cache writes to its logger, or without one to PHP's error log. */
final class ErrorLogTest extends TestCase
{
    use AssertsThrows;

    /** A server, or an attacker who has planted a value, may put this into a message. */
    private const HOSTILE = "a\r\n[forged] \x1b[2J \u{85}b\u{2028}c\u{2029}d é";
    private const HARMLESS = 'a [forged]  [2J  b c d é';

    public function testEntryIsOneLine(): void
    {
        $said = self::logged(\sprintf(
            '(new Larder\Internal\ErrorLog())->warning("{store} says {reason}", ["store" => "redis", "reason" => %s, '
                . '"exception" => new Exception()]);',
            var_export(self::HOSTILE, true),
        ));
        self::assertStringEndsWith('larder: redis says ' . self::HARMLESS . "\n", $said);
        self::assertSame(1, substr_count($said, "\n"));
    }

    public function testFailedRecomputationIsOneLine(): void
    {
        $said = self::logged(
            \sprintf(
                '$cache = Larder\Cache::open("array:");
            $cache->remember("k", 0.01, fn(): int => 1, stale: 60);
            usleep(20_000);
            echo $cache->remember("k", 0.01, fn() => throw new Exception(%s), stale: 60);',
                var_export(self::HOSTILE, true),
            ),
            '1',
        );
        self::assertStringContainsString(
            'could not be recomputed, the old one is returned: Exception: ' . self::HARMLESS,
            $said,
        );
        self::assertSame(1, substr_count($said, "\n"));
    }

    #[RequiresPhpExtension('redis')]
    public function testLoggerReceivesNoLineBreaks(): void
    {
        $logger = new RecordingLogger();
        $cache = Cache::over(
            static fn(): \Redis => throw new \RuntimeException(self::HOSTILE),
            'on_failure=throw',
            $logger,
        );
        self::assertThrows(StoreFailed::class, static fn() => $cache->get('a'), self::HARMLESS);
        self::assertCount(1, $logger->entries());
        self::assertStringContainsString(self::HARMLESS, $logger->entries()[0]);
        self::assertSame(0, preg_match('/[\x00-\x1f\x7f\x{80}-\x{9f}\x{2028}\x{2029}]/u', $logger->entries()[0]));
    }

    /** @return iterable<string, array{string}> code that opens a cache with $logger over a server that is down */
    public static function caches(): iterable
    {
        foreach ([
            'redis://%s', 'redis://%s?client=predis', 'memcached://%s', 'memcached://%s,%1$s0', 'memcache://%s',
            'mysql://u@%s/d', 'pgsql://u@%s/d',
            'redis+cluster://%s', 'redis+sentinel://%s/m',
            'tier:(array:)(redis://%s)',
        ] as $dsn) {
            yield $dsn => [\sprintf('Larder\Cache::open("%s", $logger)', \sprintf($dsn, self::nowhere()))];
        }
        foreach (['Redis', 'Memcached', 'PDO'] as $class) {
            yield "over $class" => [
                \sprintf('Larder\Cache::over(fn(): %s => throw new Exception("no client"), "", $logger)', $class),
            ];
        }
        yield 'observed' => [
            \sprintf('Larder\Cache::open("redis://%s", $logger, observer: new class implements Larder\Event\Observer {
            public function observe(Larder\Event\Event $event): void { throw new Exception("of the observer"); }
        })', self::nowhere()),
        ];
    }

    /** For example, a logger whose file cannot be written. */
    #[DataProvider('caches')]
    public function testLoggerThatThrowsChangesNoResult(string $open): void
    {
        $said = self::logged(\sprintf('$logger = new class extends Psr\Log\AbstractLogger {
                public function log($level, string|Stringable $message, array $context = []): void { throw new UnexpectedValueException("no\npermission"); }
            };
            $cache = %s;
            for ($i = 0; $i < 4; ++$i) {
                echo json_encode([$cache->get("a", "d"), $cache->set("a", 1), $cache->getMany(["a"], "d"), $cache->remember("r", 60, fn(): string => "made")]), "\n";
            }', $open), str_repeat('["d",false,{"a":"d"},"made"]' . "\n", 4));
        self::assertMatchesRegularExpression(
            '/ larder: [a-z+]+ at .+ is away: .+\n.+ larder: the logger .+ has thrown UnexpectedValueException: '
                . 'no permission at /',
            $said,
        );
    }

    /**
     * @return string a server that is down, and without a recorded outage, which all processes of a user would share
     */
    private static function nowhere(): string
    {
        return \sprintf('127.%d.%d.%d:1', random_int(1, 254), random_int(0, 255), random_int(1, 254));
    }

    /** @return string what a process with this code writes to PHP's error log */
    private static function logged(string $code, string $printed = ''): string
    {
        $log = Servers::directory('error-log') . '/' . bin2hex(random_bytes(4));
        self::assertSame(
            $printed,
            PhpProcess::run(\sprintf('ini_set("error_log", %s); %s', var_export($log, true), $code)),
        );

        return (string) file_get_contents($log);
    }
}
