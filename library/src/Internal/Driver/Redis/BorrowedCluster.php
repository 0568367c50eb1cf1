<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreFailed;
use Redis;
use RedisCluster;
use RedisClusterException;
use RedisException;

/**
 * A cluster of Redis or Valkey servers through a RedisCluster object of the application. Operations on several keys
 * take a round trip for each key, since each command goes to one server.
 *
 * The object adds its prefix to a key to find the server, and does not follow redirections of raw commands. So it
 * receives a name in braces, because only the part in braces determines the slot. If a slot has moved, a command of the
 * object's own lets it learn the new server.
 */
final class BorrowedCluster extends BorrowedConnection
{
    /** Not the key of any value. */
    private const ANY = 'larder-cache:';
    /** Position of the key in the arguments of a script: after the script and the number of its keys. */
    private const KEY_OF_SCRIPT = 2;

    /** @var array<int, string> text in braces, by slot */
    private array $tags = [];

    public function database(): string
    {
        return '';
    }

    protected function send(string $command, string ...$arguments): mixed
    {
        return $this->sendTo(match ($command) {
            'PING' => self::ANY,
            'EVAL', 'EVALSHA' => $arguments[self::KEY_OF_SCRIPT] ?? self::ANY,
            default => $arguments[0] ?? self::ANY,
        }, $command, ...$arguments);
    }

    /** An object that is created after a failover has another name, and so other copies. */
    protected function serverOf(object $client, ?string $known): ?string
    {
        if ($known !== null || $this->isLazy($client)) {
            return $known;
        }
        /** @var RedisCluster $client */
        $masters = array_map(serialize(...), $client->_masters());
        sort($masters);

        return implode($masters);
    }

    protected function failure(mixed $answer): \Exception
    {
        return new RedisException(
            $answer === false ? $this->client()->getLastError() ?? 'no answer' : self::OUT_OF_STEP,
        );
    }

    protected function hasSlots(): bool
    {
        return true;
    }

    protected function scan(string $pattern): iterable
    {
        foreach (array_filter($this->client()->_masters(), is_array(...)) as $node) {
            yield from $this->scanBy(
                fn(string $command, string ...$arguments): mixed => $this->sendTo($node, $command, ...$arguments),
                $pattern,
            );
        }
    }

    /** @param string|array<array-key, mixed> $to a name, or host and port of a server */
    private function sendTo(string|array $to, string $command, string ...$arguments): mixed
    {
        $client = $this->client();
        if ($this->modeOf($client) !== Redis::ATOMIC) {
            throw StoreFailed::busy('redis', 'the application has begun a transaction on its client');
        }
        $route = \is_array($to) ? $to : $this->route($to);
        // A raw command goes to the server of the application's last command, which may have been a replica.
        $failover = $client->getOption(RedisCluster::OPT_SLAVE_FAILOVER);
        $client->setOption(RedisCluster::OPT_SLAVE_FAILOVER, RedisCluster::FAILOVER_NONE);

        try {
            try {
                return @$client->rawcommand($route, $command, ...$arguments);
            } catch (RedisClusterException $error) {
                if (\is_array($route)) {
                    throw $error;
                }
                @$client->exists($route);

                return @$client->rawcommand($route, $command, ...$arguments);
            }
        } catch (RedisClusterException $error) {
            throw new RedisException($error->getMessage(), 0, $error);
        } finally {
            $client->setOption(RedisCluster::OPT_SLAVE_FAILOVER, $failover);
        }
    }

    /** @return string a key that, after the client's prefix, is in the same slot as the name */
    private function route(string $name): string
    {
        $prefix = $this->client()->getOption(Redis::OPT_PREFIX);
        if (\is_string($prefix) && str_contains($prefix, '{')) {
            throw StoreFailed::because(
                'redis',
                'the prefix of the application\'s client has a brace, so the client finds no server but one',
            );
        }
        if (strpbrk($name, '{}') === false) {
            return '{' . $name . '}';
        }
        $slot = HashSlot::of($name);
        if (!isset($this->tags[$slot])) {
            $tag = 0;
            while (HashSlot::of((string) $tag) !== $slot) {
                ++$tag;
            }
            $this->tags[$slot] = (string) $tag;
        }

        return '{' . $this->tags[$slot] . '}';
    }

    private function client(): RedisCluster
    {
        /** @var RedisCluster $client */
        $client = $this->borrowed->get();

        return $client;
    }
}
