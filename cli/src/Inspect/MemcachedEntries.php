<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Codec\Codec;
use Larder\Internal\Driver\Memcached\MemcachedStream;
use Larder\Server\ConnectionSettings;

/**
 * A memcached server of version 1.6 or later. With each value it keeps a number (flags) in which the program that
 * wrote it noted the type. Only the flags of PHP's extension memcached are known here.
 */
final class MemcachedEntries implements ServerEntries
{
    private const AT_ONCE = 100;
    /** Flags of PHP's extension memcached: the kind of value in the last four bits; 16 and above: how it is compressed. */
    private const KIND = 15;

    /** Bytes that the first line of a value is shorter than. */
    private const LINE = 100;

    private readonly MemcachedStream $stream;

    public function __construct(ConnectionSettings $settings, private readonly Codec $codec)
    {
        $this->stream = new MemcachedStream('memcached', $settings);
    }

    public function entries(): iterable
    {
        foreach ($this->lines('lru_crawler metadump all', 'END') as $line) {
            if (preg_match('/^key=(\S+) exp=(-?\d+) .*\bfetch=(yes|no)\b.*\bsize=(\d+)/', $line, $parts) !== 1) {
                throw $this->stream->refused($line);
            }
            $ttl = $parts[2] === '-1' ? 0.0 : (int) $parts[2] - microtime(true);
            if ($parts[2] === '-1' || $ttl > 0.0) {
                yield [
                    'name' => rawurldecode($parts[1]),
                    'size' => (int) $parts[4],
                    'ttl' => $ttl,
                    'used' => $parts[3] === 'yes',
                    'kind' => self::STRING,
                ];
            }
        }
    }

    public function values(array $names): iterable
    {
        foreach (array_chunk($names, self::AT_ONCE) as $some) {
            yield from $this->read($some);
        }
    }

    public function delete(array $names): int
    {
        $deleted = 0;
        foreach ($names as $name) {
            [$key, $flag] = self::key($name);
            $line = $this->line("md $key$flag");
            if (preg_match('/^(HD|NF)\b/', $line, $answer) !== 1) {
                throw $this->stream->refused($line);
            }
            $deleted += (int) ($answer[1] === 'HD');
        }

        return $deleted;
    }

    public function figures(): array
    {
        $stats = [];
        foreach ($this->lines('stats', 'END') as $line) {
            [, $name, $value] = explode(' ', $line, 3) + ['', '', ''];
            $stats[$name] = $value;
        }

        return [
            'version' => 'memcached ' . ($stats['version'] ?? ''),
            'hits' => (int) ($stats['get_hits'] ?? 0),
            'misses' => (int) ($stats['get_misses'] ?? 0),
            'stores' => (int) ($stats['cmd_set'] ?? 0),
            'evicted' => (int) ($stats['evictions'] ?? 0),
            'entries' => (int) ($stats['curr_items'] ?? 0),
            'bytes' => (int) ($stats['bytes'] ?? 0),
            'limit' => (int) ($stats['limit_maxbytes'] ?? 0),
        ];
    }

    /**
     * @param list<string> $names
     * @return iterable<string, array{mixed, float}>
     */
    private function read(array $names): iterable
    {
        $request = '';
        foreach ($names as $name) {
            [$key, $flag] = self::key($name);
            $request .= "mg $key s f t v$flag\r\n";
        }
        $reply = $this->stream->ask($request);
        $at = 0;
        $found = [];
        foreach ($names as $name) {
            while (!str_contains(substr($reply, $at, self::LINE), "\r\n")) {
                $reply .= $this->stream->more();
            }
            $line = substr($reply, $at, (int) strpos($reply, "\r\n", $at) - $at);
            $at += \strlen($line) + 2;
            if ($line === 'EN') {
                continue;
            }
            if (preg_match('/^VA (\d{1,9}) s\d+ f(\d+) t(-?\d+)/', $line, $parts) !== 1) {
                throw $this->stream->refused($line);
            }
            $length = (int) $parts[1];
            $missing = $at + $length + 2 - \strlen($reply);
            if ($missing > 0) {
                $pieces = [substr($reply, $at)];
                for (; $missing > 0; $missing -= \strlen($piece)) {
                    $pieces[] = $piece = $this->stream->more($missing);
                }
                [$reply, $at] = [implode('', $pieces), 0];
            }
            $value = $this->decoded(substr($reply, $at, $length), (int) $parts[2], $name);
            if ($value !== $this) {
                $found[] = [$name, [$value, $parts[3] === '-1' ? 0.0 : max(0.001, (float) $parts[3])]];
            }
            $at += $length + 2;
        }
        $this->stream->done();
        foreach ($found as [$name, $entry]) {
            yield $name => $entry;
        }
    }

    /** @return mixed $this if another program wrote it, in a form that is not known here */
    private function decoded(string $bytes, int $flags, string $name): mixed
    {
        if ($flags !== ($flags & self::KIND)) {
            return $this;
        }

        return match ($flags) {
            0 => $bytes,
            1 => (int) $bytes,
            2 => (float) $bytes,
            3 => $bytes === '1',
            4 => $this->codec->decode($bytes, $name, $this),
            5 => Igbinary::decoded($bytes, $this),
            6 => json_decode($bytes, true) ?? ($bytes === 'null' ? null : $this),
            default => $this,
        };
    }

    /** @return array{string, string} a key with spaces, which a binary client can store, is sent in base64 */
    private static function key(string $name): array
    {
        return preg_match('/[\x00-\x20\x7f]/', $name) === 1 ? [base64_encode($name), ' b'] : [$name, ''];
    }

    private function line(string $request): string
    {
        $reply = $this->stream->ask("$request\r\n");
        while (!str_ends_with($reply, "\r\n")) {
            $reply .= $this->stream->more();
        }
        $this->stream->done();

        return rtrim($reply);
    }

    /** @return iterable<string> the lines of a reply, without its last one */
    private function lines(string $request, string $last): iterable
    {
        // All are read before the first is returned: the server waits for no reader.
        $lines = [];
        $rest = $this->stream->ask("$request\r\n");
        while (true) {
            $parts = explode("\n", $rest);
            $rest = array_pop($parts);
            foreach ($parts as $line) {
                $line = rtrim($line, "\r");
                if ($line === $last) {
                    $this->stream->done();

                    return $lines;
                }
                if (preg_match('/^(?:ERROR|BUSY|CLIENT_ERROR|SERVER_ERROR)\b/', $line) === 1) {
                    throw $this->stream->refused($line);
                }
                $lines[] = $line;
            }
            $rest .= $this->stream->more();
        }
    }
}
