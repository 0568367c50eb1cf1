<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Server\ConnectionSettings;

/**
 * The part of memcached's text protocol that the store needs, for items of bytes.
 *
 * ext-memcached allows neither a first get in one exchange nor a fork that leaves the parent's connection alone.
 *
 * The extensions read an item's flags, and unserialize what other programs have stored, before it could be checked.
 * This client never unserializes: an item with flags is not ours, and counts as missing.
 *
 * Replies are checked: they must contain the requested items, each once, and of the announced length. Any other reply
 * is StoreFailed, and the connection is closed.
 */
final class TextConnection implements MemcachedConnection
{
    /** Maximum bytes of a value. By default, servers accept 1 MB. */
    public const LONGEST_VALUE = 64 << 20;
    /** Maximum bytes of a name that the server accepts. */
    public const LONGEST_NAME = 250;
    /** Names in one request. */
    private const NAMES = 100;
    /**
     * Requests, and their bytes, that are sent before the first reply is read. With these limits, neither side waits
     * for the other to read.
     */
    private const REQUESTS = 1000;
    private const BYTES = 1 << 20;
    /** Up to this many bytes of a value, another request may follow at once. */
    private const SHORT = 1024;
    /** Bytes: a name has up to 250. */
    private const LONGEST_LINE = 400;
    private const ITEM = '/VALUE (\S{1,250}) (0|[1-9]\d{0,9}) (0|[1-9]\d{0,8})(?: (\d{1,20}))?\r\n/A';

    private readonly MemcachedStream $stream;

    /** @param string $store the scheme, for messages */
    public function __construct(string $store, private readonly ConnectionSettings $settings)
    {
        $this->stream = new MemcachedStream($store, $settings);
    }

    public function endpoint(): Endpoint
    {
        return $this->settings->endpoint;
    }

    public function server(): string
    {
        return (string) $this->settings->endpoint;
    }

    public function nameLimit(): int
    {
        return self::LONGEST_NAME;
    }

    public function version(): string
    {
        return $this->lines(1, $this->stream->ask("version\r\n"), 'VERSION')[0][1];
    }

    public function get(string $name, string $prefix = ''): ?string
    {
        $reply = $this->stream->ask("get $name\r\n");
        if ($reply === "END\r\n") {
            $this->stream->done();

            return null;
        }
        // Most replies are one complete item, which is parsed here; items() parses the others.
        $end = (int) strpos($reply, "\r\n");
        $bytes = \strlen($reply) - $end - 9;
        if (
            $bytes >= 0 && str_starts_with($reply, "VALUE $name 0 $bytes\r\n") && str_ends_with($reply, "\r\nEND\r\n")
        ) {
            $this->stream->done();
            $length = \strlen($prefix);

            return $bytes >= $length && substr_compare($reply, $prefix, $end + 2, $length) === 0
                ? substr($reply, $end + 2 + $length, $bytes - $length)
                : null;
        }
        $found = $this->items($reply, [$name => true])[$name] ?? null;

        return $found !== null && str_starts_with($found, $prefix) ? substr($found, \strlen($prefix)) : null;
    }

    public function getMany(array $names): array
    {
        $found = [];
        foreach (array_chunk($names, self::NAMES) as $some) {
            $reply = $this->stream->ask(\sprintf("get %s\r\n", implode(' ', $some)));
            $items = self::itemsInOrder($reply, $some);
            if ($items === null) {
                $items = $this->items($reply, array_fill_keys($some, true));
            } else {
                $this->stream->done();
            }
            $found += $items;
        }

        return $found;
    }

    public function gets(array $names): array
    {
        $numbers = [];
        $found = $this->items(
            $this->stream->ask(\sprintf("gets %s\r\n", implode(' ', $names))),
            array_fill_keys($names, true),
            $numbers,
        );
        $items = [];
        foreach ($numbers as $name => $number) {
            $items[$name] = [$found[$name] ?? null, $number];
        }

        return $items;
    }

    public function set(string $name, string $bytes, int $expiry): bool
    {
        return $this->store('set', $name, $bytes, (string) $expiry) === true;
    }

    public function add(
        string $name,
        string $bytes,
        int $expiry,
        string &$number = '',
        string $other = '',
        ?string &$there = null,
    ): ?bool {
        $length = \strlen($bytes);
        if ($length > self::SHORT || $this->settings->tls !== null) { // see setMany()
            $isAdded = $this->store('add', $name, $bytes, (string) $expiry);
            $there = $isAdded === true && $other !== '' ? $this->get($other) : null;

            return $isAdded;
        }
        $reply = $this->stream->ask("add $name 0 $expiry $length\r\n$bytes\r\n" . rtrim("gets $name $other") . "\r\n");
        while (!str_contains($reply, "\n") && \strlen($reply) < self::LONGEST_LINE) {
            $reply .= $this->stream->more();
        }
        [$answer, $rest] = [...explode("\r\n", $reply, 2), ''];
        if ($answer !== 'STORED' && $answer !== 'NOT_STORED' && !str_starts_with($answer, 'SERVER_ERROR ')) {
            throw $this->unexpected($answer);
        }
        $numbers = [];
        $found = $this->items($rest, [$name => true, $other => true], $numbers);
        $number = ($found[$name] ?? null) === $bytes ? $numbers[$name] : '';
        $there = $found[$other] ?? null;

        return $answer === 'STORED' ? true : ($answer === 'NOT_STORED' ? false : null);
    }

    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool
    {
        return $this->store('cas', $name, $bytes, (string) $expiry, " $unchanged");
    }

    public function setMany(array $items, int $expiry): array
    {
        $refused = $requests = [];
        $bytes = 0;
        // With TLS, the server may not notice a request that arrives together with the end of a long value.
        $most = $this->settings->tls !== null ? 1 : self::REQUESTS;
        foreach ($items as $name => $value) {
            $length = \strlen($value);
            if ($requests !== [] && (\count($requests) === $most || $bytes + $length > self::BYTES)) {
                array_push($refused, ...$this->refusedOf($requests));
                $requests = [];
                $bytes = 0;
            }
            $bytes += $length;
            $requests[$name] = "set $name 0 $expiry $length\r\n$value\r\n";
        }

        return $requests === [] ? [] : [...$refused, ...$this->refusedOf($requests)];
    }

    public function delete(array $names): void
    {
        foreach (array_chunk($names, self::REQUESTS) as $some) {
            $this->lines(
                \count($some),
                $this->stream->ask('delete ' . implode("\r\ndelete ", $some) . "\r\n"),
                'DELETED',
                'NOT_FOUND',
            );
        }
    }

    /**
     * @param non-empty-array<array-key, string> $requests requests that store, by name
     * @return list<string> names
     */
    private function refusedOf(array $requests): array
    {
        $answers = array_column(
            $this->lines(\count($requests), $this->stream->ask(implode('', $requests)), 'STORED', 'SERVER_ERROR'),
            0,
        );

        return array_map(strval(...), array_keys(array_combine(array_keys($requests), $answers), 'SERVER_ERROR', true));
    }

    private function store(string $command, string $name, string $bytes, string $expiry, string $unchanged = ''): ?bool
    {
        $length = \strlen($bytes);
        if ($length > self::LONGEST_VALUE) {
            return null;
        }
        $reply = $this->stream->ask("$command $name 0 $expiry $length$unchanged\r\n$bytes\r\n");
        if ($reply === "STORED\r\n") {
            $this->stream->done();

            return true;
        }

        return match ($this->lines(1, $reply, 'STORED', 'NOT_STORED', 'EXISTS', 'NOT_FOUND', 'SERVER_ERROR')[0][0]) {
            'STORED' => true,
            'SERVER_ERROR' => null,
            default => false,
        };
    }

    /**
     * Reads the replies to requests that were sent together; they come in the same order.
     *
     * @param int $count number of requests
     * @param string $reply bytes received so far
     * @param string ...$answers possible beginnings of each line
     * @return list<array{string, string}> the beginning, and the rest of the line
     */
    private function lines(int $count, string $reply, string ...$answers): array
    {
        $lines = [];
        $at = 0;
        while (\count($lines) < $count) {
            $end = strpos($reply, "\r\n", $at);
            if ($end === false) {
                $reply = substr($reply, $at);
                $at = 0;
                if (\strlen($reply) >= self::LONGEST_LINE || str_contains($reply, "\n")) {
                    throw $this->stream->malformed($reply);
                }
                $reply .= $this->stream->more();

                continue;
            }
            $line = substr($reply, $at, $end - $at);
            [$answer, $rest] = [...explode(' ', $line, 2), ''];
            if (!\in_array($answer, $answers, true)) {
                throw $this->unexpected($line);
            }
            $lines[] = [$answer, $rest];
            $at = $end + 2;
        }
        if ($at !== \strlen($reply)) {
            throw $this->stream->malformed(substr($reply, $at));
        }
        $this->stream->done();

        return $lines;
    }

    /**
     * The fast path for most replies: they are complete, in the requested order, and all items are ours.
     *
     * @param list<string> $names
     * @return array<string, string>|null null for other replies
     */
    private static function itemsInOrder(string $reply, array $names): ?array
    {
        $found = [];
        $at = 0;
        $end = \strlen($reply) - \strlen("\r\nEND\r\n");
        foreach ($names as $name) {
            $digits = $at + \strlen($name) + 9;
            if ($digits < $end && substr_compare($reply, "VALUE $name 0 ", $at, $digits - $at) === 0) {
                $bytes = (int) substr($reply, $digits, 9);
                $from = $digits + \strlen("$bytes\r\n");
                $at = $from + $bytes + 2;
                if (
                    $bytes < 0 || $at > $end + 2 || substr_compare($reply, "\r\n", $from - 2, 2) !== 0
                    || substr_compare($reply, "\r\n", $at - 2, 2) !== 0
                ) {
                    return null;
                }
                $found[$name] = substr($reply, $from, $bytes);
            }
        }

        return $at === $end + 2 && str_ends_with($reply, "END\r\n") ? $found : null;
    }

    /**
     * Reads a reply with items to its end.
     *
     * @param string $reply bytes received so far
     * @param array<string, true> $wanted names
     * @param array<string, string>|null $numbers receives the number of each item, including those that are not ours;
     *         null for a reply without numbers
     * @param-out ($numbers is null ? null : array<string, string>) $numbers
     * @return array<string, string> bytes of the items that exist and are ours
     */
    private function items(string $reply, array $wanted, ?array &$numbers = null): array
    {
        $found = [];
        for ($at = 0;;) {
            if (preg_match(self::ITEM, $reply, $item, 0, $at) !== 1) {
                if (substr_compare($reply, "END\r\n", $at) === 0) {
                    $this->stream->done();

                    return $found;
                }
                $reply = substr($reply, $at);
                $at = 0;
                $line = strstr($reply, "\r\n", true);
                if ($line !== false || \strlen($reply) > self::LONGEST_LINE) {
                    throw $this->unexpected($line === false ? $reply : $line);
                }
                $reply .= $this->stream->more();

                continue;
            }
            $bytes = (int) $item[3];
            if (isset($item[4]) !== isset($numbers) || !isset($wanted[$item[1]]) || $bytes > self::LONGEST_VALUE) {
                throw $this->stream->malformed($item[0]);
            }
            unset($wanted[$item[1]]);
            if (isset($item[4])) {
                $numbers[$item[1]] = $item[4];
            }
            $at += \strlen($item[0]);
            if (\strlen($reply) < $at + $bytes + 2) {
                $reply = $this->whole(substr($reply, $at), $bytes + \strlen("\r\nEND\r\n"));
                $at = 0;
            }
            if (substr_compare($reply, "\r\n", $at + $bytes, 2) !== 0) {
                throw $this->stream->malformed(substr($reply, $at + $bytes, self::LONGEST_LINE));
            }
            if ($item[2] === '0') {
                $found[$item[1]] = substr($reply, $at, $bytes);
            }
            $at += $bytes + 2;
        }
    }

    /**
     * @param string $part bytes received so far
     * @param int $bytes total length: that of the item, and the shortest end of a reply
     */
    private function whole(string $part, int $bytes): string
    {
        $parts = [$part];
        for ($missing = $bytes - \strlen($part); $missing > 0; $missing -= \strlen($part)) {
            $parts[] = $part = $this->stream->more($missing);
        }

        return implode('', $parts);
    }

    private function unexpected(string $line): StoreFailed
    {
        return preg_match('/^(?:ERROR|SERVER_ERROR|CLIENT_ERROR)\b/', $line) === 1
            ? $this->stream->refused($line)
            : $this->stream->malformed($line);
    }
}
