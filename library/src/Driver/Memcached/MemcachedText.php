<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Exception\StoreFailed;

/**
 * memcached's text protocol, as far as stores need it, for items of bytes alone.
 *
 * The extensions look at an item's flags and unserialize what others have stored there, before anybody could check it.
 * Here nothing is made of bytes: an item with flags is not ours, and is not there.
 *
 * Replies are checked: items are those that were asked for, each once, and as long as they say. All else is StoreFailed,
 * and the connection is closed.
 */
final class MemcachedText implements MemcachedItems
{
    /** Bytes of a value, at most; the largest that servers take without being told otherwise has 1 MB. */
    public const LONGEST_VALUE = 64 << 20;
    /** Names that are asked for at once. */
    private const NAMES = 100;
    /** Requests that are sent before the first reply is read, and their bytes: no side waits for the other to read. */
    private const REQUESTS = 1000;
    private const BYTES = 1 << 20;
    /** A name has 250 bytes. */
    private const LONGEST_LINE = 400;
    private const ITEM = '/VALUE (\S{1,250}) (0|[1-9]\d{0,9}) (0|[1-9]\d{0,8})(?: (\d{1,20}))?\r\n/A';

    public function __construct(public readonly MemcachedConnection $connection) {}

    public function version(): string
    {
        return $this->line("version\r\n", 'VERSION')[1];
    }

    public function get(string $name): ?string
    {
        try {
            $reply = $this->connection->ask("get $name\r\n");
            if ($reply === "END\r\n") {
                $this->connection->done();

                return null;
            }
            // Most replies are one whole item, and are cut here; items() takes the others.
            $end = strpos($reply, "\r\n");
            $bytes = \strlen($reply) - (int) $end - 9;
            if ($bytes >= 0 && str_starts_with($reply, "VALUE $name 0 $bytes\r\n") && str_ends_with($reply, "\r\nEND\r\n")) {
                $this->connection->done();

                return substr($reply, (int) $end + 2, $bytes);
            }

            return $this->items($reply, [$name => true])[$name] ?? null;
        } finally {
            if ($this->connection->isWaiting) {
                $this->connection->abandon();
            }
        }
    }

    public function getMany(array $names): array
    {
        $found = [];
        foreach (array_chunk($names, self::NAMES) as $some) {
            $wanted = array_fill_keys($some, true);
            try {
                $reply = $this->connection->ask(\sprintf("get %s\r\n", implode(' ', array_keys($wanted))));
                $items = self::itemsInOrder($reply, $some);
                if ($items === null) {
                    $items = $this->items($reply, $wanted);
                } else {
                    $this->connection->done();
                }
                $found += $items;
            } finally {
                if ($this->connection->isWaiting) {
                    $this->connection->abandon();
                }
            }
        }

        return $found;
    }

    public function gets(string $name): ?array
    {
        try {
            $number = '';
            $found = $this->items($this->connection->ask("gets $name\r\n"), [$name => true], $number);

            return $number === null || $number === '' ? null : [$found[$name] ?? null, $number];
        } finally {
            if ($this->connection->isWaiting) {
                $this->connection->abandon();
            }
        }
    }

    public function set(string $name, string $bytes, int $expiry): bool
    {
        return $this->store('set', $name, $bytes, $expiry) === true;
    }

    public function add(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->store('add', $name, $bytes, $expiry);
    }

    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool
    {
        return $this->store('cas', $name, $bytes, $expiry, ' ' . $unchanged);
    }

    public function delete(string $name): void
    {
        $this->line("delete $name\r\n", 'DELETED', 'NOT_FOUND');
    }

    public function setMany(array $items, int $expiry): array
    {
        $refused = $requests = [];
        $bytes = 0;
        // By TLS the server may not notice a request that has come together with the end of a long value.
        $most = $this->connection->isTls() ? 1 : self::REQUESTS;
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

    public function deleteMany(array $names): void
    {
        foreach (array_chunk($names, self::REQUESTS) as $some) {
            $this->lines(array_map(static fn(string $name): string => "delete $name\r\n", $some), 'DELETED', 'NOT_FOUND');
        }
    }

    /**
     * @param non-empty-array<array-key, string> $requests to store, by name
     * @return list<string> names
     */
    private function refusedOf(array $requests): array
    {
        $answers = array_column($this->lines(array_values($requests), 'STORED', 'SERVER_ERROR'), 0);

        return array_map(strval(...), array_keys(array_combine(array_keys($requests), $answers), 'SERVER_ERROR', true));
    }

    private function store(string $command, string $name, string $bytes, int $expiry, string $unchanged = ''): ?bool
    {
        $length = \strlen($bytes);
        if ($length > self::LONGEST_VALUE) {
            return null;
        }
        $answer = $this->line("$command $name 0 $expiry $length$unchanged\r\n$bytes\r\n", 'STORED', 'NOT_STORED', 'EXISTS', 'NOT_FOUND', 'SERVER_ERROR')[0];

        return match ($answer) {
            'STORED' => true,
            'SERVER_ERROR' => null,
            default => false,
        };
    }

    /**
     * @param string ...$answers what the line may begin with
     * @return array{string, string} that, and the rest of the line
     */
    private function line(string $request, string ...$answers): array
    {
        return $this->lines([$request], ...$answers)[0];
    }

    /**
     * Sends all requests, and then reads their replies, which come in the same order.
     *
     * @param non-empty-list<string> $requests
     * @param string ...$answers what each line may begin with
     * @return list<array{string, string}> that, and the rest of the line
     */
    private function lines(array $requests, string ...$answers): array
    {
        $lines = [];
        try {
            $reply = $this->connection->ask(implode('', $requests));
            $at = 0;
            while (\count($lines) < \count($requests)) {
                $end = strpos($reply, "\r\n", $at);
                if ($end === false) {
                    $reply = substr($reply, $at);
                    $at = 0;
                    if (\strlen($reply) >= self::LONGEST_LINE || str_contains($reply, "\n")) {
                        throw $this->connection->malformed($reply);
                    }
                    $reply .= $this->connection->more();

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
                throw $this->connection->malformed(substr($reply, $at));
            }
            $this->connection->done();

            return $lines;
        } finally {
            if ($this->connection->isWaiting) {
                $this->connection->abandon();
            }
        }
    }

    /**
     * The short way for most replies: all has come, in the order in which it was asked for, and nothing is another's.
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
                if ($bytes < 0 || $at > $end + 2 || substr_compare($reply, "\r\n", $from - 2, 2) !== 0 || substr_compare($reply, "\r\n", $at - 2, 2) !== 0) {
                    return null;
                }
                $found[$name] = substr($reply, $from, $bytes);
            }
        }

        return $at === $end + 2 && str_ends_with($reply, "END\r\n") ? $found : null;
    }

    /**
     * Reads a reply of items to its end.
     *
     * @param string $reply what has come of it
     * @param array<string, true> $wanted names
     * @param string|null $number set to that of the last item, be it another's; null for a reply without numbers
     * @return array<string, string> bytes of those that are there and ours
     */
    private function items(string $reply, array $wanted, ?string &$number = null): array
    {
        $found = [];
        for ($at = 0;;) {
            if (preg_match(self::ITEM, $reply, $item, 0, $at) !== 1) {
                if (substr_compare($reply, "END\r\n", $at) === 0) {
                    $this->connection->done();

                    return $found;
                }
                $reply = substr($reply, $at);
                $at = 0;
                $line = strstr($reply, "\r\n", true);
                if ($line !== false || \strlen($reply) > self::LONGEST_LINE) {
                    throw $this->unexpected($line === false ? $reply : $line);
                }
                $reply .= $this->connection->more();

                continue;
            }
            $bytes = (int) $item[3];
            if (isset($item[4]) !== isset($number) || !isset($wanted[$item[1]]) || $bytes > self::LONGEST_VALUE) {
                throw $this->connection->malformed($item[0]);
            }
            unset($wanted[$item[1]]);
            $number = $item[4] ?? null;
            $at += \strlen($item[0]);
            if (\strlen($reply) < $at + $bytes + 2) {
                $reply = $this->whole(substr($reply, $at), $bytes + \strlen("\r\nEND\r\n"));
                $at = 0;
            }
            if (substr_compare($reply, "\r\n", $at + $bytes, 2) !== 0) {
                throw $this->connection->malformed(substr($reply, $at + $bytes, self::LONGEST_LINE));
            }
            if ($item[2] === '0') {
                $found[$item[1]] = substr($reply, $at, $bytes);
            }
            $at += $bytes + 2;
        }
    }

    /**
     * @param string $part what has come
     * @param int $bytes that are to come in all: an item's and the shortest end of a reply
     */
    private function whole(string $part, int $bytes): string
    {
        $parts = [$part];
        for ($missing = $bytes - \strlen($part); $missing > 0; $missing -= \strlen($part)) {
            $parts[] = $part = $this->connection->more($missing);
        }

        return implode('', $parts);
    }

    private function unexpected(string $line): StoreFailed
    {
        return preg_match('/^(?:ERROR|SERVER_ERROR|CLIENT_ERROR)\b/', $line) === 1 ? $this->connection->refused($line) : $this->connection->malformed($line);
    }
}
