<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\BorrowedClient;
use Memcached;

/**
 * Items through an object of the extension memcached that the application owns. It stores only strings, which the
 * object's serializer and compression do not change, or can restore. An item whose value is not a string is not ours;
 * by then the extension has unserialized it.
 */
final class BorrowedMemcached implements MemcachedConnection
{
    /** With these options the server's answer comes later, or never. */
    private const WITHOUT_ANSWER = [
        'OPT_BUFFER_WRITES' => Memcached::OPT_BUFFER_WRITES,
        'OPT_NOREPLY' => Memcached::OPT_NOREPLY,
    ];

    private ?string $firstPrefix = null;

    /** When this cache last used the client, by hrtime(). */
    private int $used = 0;

    public function __construct(private readonly BorrowedClient $client) {}

    /** @throws NotSupported */
    public static function checkSettings(Memcached $client): void
    {
        foreach (self::WITHOUT_ANSWER as $name => $option) {
            if (!\in_array($client->getOption($option), [0, false], true)) {
                throw new NotSupported(\sprintf(
                    'A cache cannot use a Memcached object with %s: '
                        . 'nobody learns whether a value was stored or deleted',
                    $name,
                ));
            }
        }
    }

    public function endpoint(): Endpoint
    {
        return $this->client->endpoint();
    }

    /** The servers that the client has now, and the prefix that it had at the first use. */
    public function server(): ?string
    {
        $client = $this->client->ifThere();

        return $client instanceof Memcached
            ? serialize([$client->getServerList(), $this->firstPrefix ?? $this->prefixOf($client)])
            : null;
    }

    public function nameLimit(): int
    {
        return TextConnection::LONGEST_NAME - \strlen($this->prefixOf($this->object()));
    }

    public function version(): string
    {
        $client = $this->client();
        $versions = $client->getVersion();
        if ($client->getResultCode() !== Memcached::RES_SUCCESS) {
            throw $this->failed($client);
        }

        return implode(', ', array_filter($versions, is_string(...)));
    }

    public function get(string $name, string $prefix = ''): ?string
    {
        $client = $this->client();
        $bytes = $client->get($name);
        if (\is_string($bytes)) {
            return str_starts_with($bytes, $prefix) ? substr($bytes, \strlen($prefix)) : null;
        }
        $this->check($client);

        return null;
    }

    public function getMany(array $names): array
    {
        $client = $this->client();
        $found = $client->getMulti($names);
        if (!\is_array($found)) {
            $this->check($client);

            return [];
        }

        $items = [];
        foreach ($found as $name => $bytes) {
            if (\is_string($bytes)) {
                $items[(string) $name] = $bytes;
            }
        }

        return $items;
    }

    public function gets(array $names): array
    {
        $client = $this->client();
        $items = [];
        foreach ($names as $name) {
            $found = $client->get($name, null, Memcached::GET_EXTENDED);
            if (\is_array($found) && isset($found['cas']) && \is_scalar($found['cas'])) {
                $bytes = $found['value'] ?? null;
                $items[$name] = [\is_string($bytes) ? $bytes : null, (string) $found['cas']];

                continue;
            }
            if ($client->getResultCode() === Memcached::RES_PAYLOAD_FAILURE) {
                $client->delete($name); // another program's, which this client cannot read and cas() could not replace
            }
            $this->check($client);
        }

        return $items;
    }

    public function set(string $name, string $bytes, int $expiry): bool
    {
        $client = $this->client();

        if ($client->set($name, $bytes, $expiry)) {
            return true;
        }
        $this->check($client);

        return false;
    }

    public function add(
        string $name,
        string $bytes,
        int $expiry,
        string &$number = '',
        string $other = '',
        ?string &$there = null,
    ): ?bool {
        $client = $this->client();
        if ($client->add($name, $bytes, $expiry)) {
            $there = $other === '' ? null : $this->get($other);

            return true;
        }
        $this->check($client);

        // The binary protocol reports RES_DATA_EXISTS.
        return \in_array($client->getResultCode(), [Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS], true)
            ? false
            : null;
    }

    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool
    {
        $client = $this->client();
        if ($client->cas((int) $unchanged, $name, $bytes, $expiry)) {
            return true;
        }
        $this->check($client);

        return \in_array($client->getResultCode(), [Memcached::RES_DATA_EXISTS, Memcached::RES_NOTFOUND], true)
            ? false
            : null;
    }

    public function setMany(array $items, int $expiry): array
    {
        // setMulti() does not report which item was refused.
        return array_values(array_filter(
            array_map(strval(...), array_keys($items)),
            fn(string $name): bool => !$this->set($name, $items[$name], $expiry),
        ));
    }

    public function delete(array $names): void
    {
        $client = $this->client();
        foreach ($names as $name) {
            if (!$client->delete($name)) {
                $this->check($client);
            }
        }
    }

    /** @throws StoreFailed unless the server has answered, even with a refusal */
    private function check(Memcached $client): void
    {
        $isAnswer = match ($client->getResultCode()) {
            Memcached::RES_SUCCESS, Memcached::RES_NOTFOUND, Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS,
            Memcached::RES_E2BIG,
            Memcached::RES_SERVER_MEMORY_ALLOCATION_FAILURE,
            Memcached::RES_PAYLOAD_FAILURE => true,
            default => false,
        };
        if (!$isAnswer) {
            throw $this->failed($client);
        }
    }

    private function failed(Memcached $client): StoreFailed
    {
        return StoreFailed::because(
            'memcached',
            \sprintf('no proper answer to %s: %s', $this->client->endpoint(), strtolower($client->getResultMessage())),
        );
    }

    /** @throws StoreFailed while the prefix differs from that of the first use, since the items would be elsewhere */
    private function client(): Memcached
    {
        $client = $this->object();
        $prefix = $this->prefixOf($client);
        if ($this->firstPrefix === null) {
            self::checkSettings($client);
            $this->firstPrefix = $prefix;
        }
        if ($prefix !== $this->firstPrefix) {
            throw StoreFailed::busy(
                'memcached',
                'the application has set another prefix (OPT_PREFIX_KEY) '
                    . 'on its client than at the first use by this cache',
            );
        }
        $now = (int) hrtime(true);
        if ($this->used !== 0 && $now - $this->used >= MemcachedStream::IDLE) {
            // if the server has closed the connection, the client connects again with its next command
            $client->getVersion();
        }
        $this->used = $now;

        return $client;
    }

    private function object(): Memcached
    {
        /** @var Memcached $client */
        $client = $this->client->get();

        return $this->client->isInFork() && $client->isPersistent() ? throw $this->client->shared() : $client;
    }

    private function prefixOf(Memcached $client): string
    {
        $prefix = $client->getOption(Memcached::OPT_PREFIX_KEY);

        return \is_string($prefix) ? $prefix : '';
    }
}
