<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Wire;

use Larder\Internal\Driver\Redis\Wire\Message;
use Larder\Internal\Driver\Redis\Wire\Resp3;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class Resp3Test extends TestCase
{
    private const PUSH = ">2\r\n$10\r\ninvalidate\r\n*2\r\n$3\r\na\r\n\r\n$0\r\n\r\n";

    /** @return iterable<string, array{string, Message}> */
    public static function messages(): iterable
    {
        yield 'word' => ["+PONG\r\n", new Message('+', 'PONG')];
        yield 'error' => ["-ERR no\r\n", new Message('-', 'ERR no')];
        yield 'long error' => ["!6\r\nERR no\r\n", new Message('!', 'ERR no')];
        yield 'number' => [":-7\r\n", new Message(':', -7)];
        yield 'truth' => ["#t\r\n", new Message('#', true)];
        yield 'nothing' => ["_\r\n", new Message('_', null)];
        yield 'nothing, as before' => ["$-1\r\n", new Message('$', null)];
        yield 'text with line ends' => ["$4\r\n\r\n\r\n\r\n", new Message('$', "\r\n\r\n")];
        yield 'text with a format' => ["=7\r\ntxt:abc\r\n", new Message('=', 'txt:abc')];
        yield 'map' => ["%1\r\n+proto\r\n:3\r\n", new Message('%', ['proto', 3])];
        yield 'set in array' => ["*2\r\n~1\r\n,1.5\r\n*0\r\n", new Message('*', [['1.5'], []])];
        yield 'with attributes before it' => ["|1\r\n+ttl\r\n:5\r\n+OK\r\n", new Message('|', 'OK')];
        yield 'push' => [self::PUSH, new Message('>', ['invalidate', ["a\r\n", '']])];
    }

    #[DataProvider('messages')]
    public function testAMessageIsReadHoweverItComes(string $bytes, Message $expected): void
    {
        foreach ([1, 3, 1000] as $length) {
            $reader = new Resp3();
            $read = [];
            foreach (str_split($bytes . "+next\r\n" . $bytes, $length) as $piece) {
                $reader->feed($piece);
                while (($message = $reader->next()) !== null) {
                    $read[] = $message;
                }
            }
            self::assertEquals([$expected, new Message('+', 'next'), $expected], $read);
        }
    }

    public function testChangesAreToldFromTheRest(): void
    {
        $changes = [];
        $reader = new Resp3();
        $reader->feed("+PONG\r\n>2\r\n$10\r\ninvalidate\r\n_\r\n>3\r\n+message\r\n+a\r\n+b\r\n" . self::PUSH);
        while (($message = $reader->next()) !== null) {
            $changes[] = $message->changed();
        }
        self::assertSame([null, true, null, ["a\r\n", '']], $changes);
    }

    /** @return iterable<string, array{string}> */
    public static function others(): iterable
    {
        yield 'a web server' => ["HTTP/1.1 400 Bad Request\r\n"];
        yield 'no length' => ["*x\r\n"];
        yield 'attributes without end' => [str_repeat("|0\r\n", 100)];
        yield 'arrays without end' => [str_repeat("*1\r\n", 100)];
    }

    #[DataProvider('others')]
    public function testWhatIsNoRedisIsNoticed(string $bytes): void
    {
        $reader = new Resp3();
        $reader->feed($bytes);
        $this->expectException(ServerGone::class);
        $reader->next();
    }

    public function testACommandIsWrittenAsItsWords(): void
    {
        self::assertSame("*2\r\n$4\r\nPING\r\n$4\r\na\r\nb\r\n", Resp3::command(['PING', "a\r\nb"]));
    }
}
