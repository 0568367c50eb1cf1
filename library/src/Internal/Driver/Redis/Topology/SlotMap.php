<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\HashSlot;

/**
 * The servers of each slot: a master and its replicas. If sentinels watch a master, it has all slots, and names are not
 * hashed.
 */
final class SlotMap
{
    /** Used instead of a shard's number: no server has the slot. */
    private const NONE = 0xFFFF;

    /** The shard's number for each slot, two bytes each; empty until it is needed. */
    private string $table = '';

    /**
     * @param non-empty-list<array{string, list<string>}> $shards "host:port" of the master, and of its replicas
     * @param non-empty-list<array{int, int, int}> $ranges first slot, last slot, number of the shard; a later one wins
     */
    private function __construct(private readonly array $shards, private readonly array $ranges) {}

    /** @param list<string> $replicas "host:port" */
    public static function ofOne(string $master, array $replicas): self
    {
        return new self([[$master, $replicas]], [[0, HashSlot::COUNT - 1, 0]]);
    }

    /**
     * @param mixed $answer to CLUSTER SLOTS
     * @param string $host the server that answered, which does not always name itself
     * @return self|null null for any other answer, or if no server has a slot
     */
    public static function ofAnswer(mixed $answer, string $host): ?self
    {
        $shards = $ranges = [];
        foreach (\is_array($answer) ? $answer : [] as $range) {
            if (!\is_array($range) || !\is_int($range[0] ?? null) || !\is_int($range[1] ?? null)) {
                return null;
            }
            $servers = [];
            foreach (\array_slice($range, 2) as $server) {
                if (!\is_array($server) || !\is_int($server[1] ?? null)) {
                    return null;
                }
                $itsHost = $server[0] ?? null;
                if ($itsHost !== '?') { // "?" is a host that the server does not know
                    $endpoint = Endpoint::named(\is_string($itsHost) && $itsHost !== '' ? $itsHost : $host, $server[1]);
                    if ($endpoint === null) {
                        return null;
                    }
                    $servers[] = (string) $endpoint;
                }
            }
            if ($servers !== []) {
                $shard = array_search($servers[0], array_column($shards, 0), true);
                if (!\is_int($shard)) {
                    $shard = \count($shards);
                    $shards[] = [$servers[0], \array_slice($servers, 1)];
                }
                $ranges[] = [$range[0], $range[1], $shard];
            }
        }

        return self::checked($shards, $ranges);
    }

    /** @return self|null null for a text that is not from toString() */
    public static function parse(string $text): ?self
    {
        $parts = json_decode($text, true, 8);
        if (!\is_array($parts) || !\is_array($parts[0] ?? null) || !\is_array($parts[1] ?? null)) {
            return null;
        }
        $shards = $ranges = [];
        foreach ($parts[0] as $shard) {
            if (!\is_array($shard) || !\is_string($shard[0] ?? null) || !\is_array($shard[1] ?? null)) {
                return null;
            }
            $shards[] = [$shard[0], array_values(array_filter($shard[1], is_string(...)))];
        }
        foreach ($parts[1] as $range) {
            if (
                !\is_array($range) || !\is_int($range[0] ?? null) || !\is_int($range[1] ?? null)
                || !\is_int($range[2] ?? null)
            ) {
                return null;
            }
            $ranges[] = [$range[0], $range[1], $range[2]];
        }

        return self::checked($shards, $ranges);
    }

    public function toString(): string
    {
        return json_encode([$this->shards, $this->ranges], \JSON_THROW_ON_ERROR);
    }

    /** @return string|null "host:port" of the master of a name; null if there is none */
    public function master(string $name): ?string
    {
        return $this->shard($name)[0] ?? null;
    }

    /** @return list<string> "host:port" of the replicas of that master */
    public function replicas(string $name): array
    {
        return $this->shard($name)[1] ?? [];
    }

    /** @return non-empty-list<string> "host:port" */
    public function masters(): array
    {
        $used = array_unique(array_column($this->ranges, 2));

        return array_values(array_unique(array_map(fn(int $shard): string => $this->shards[$shard][0], $used)));
    }

    /** @return list<string> "host:port" of all, the masters first */
    public function servers(): array
    {
        return array_values(array_unique([...$this->masters(), ...array_merge(...array_column($this->shards, 1))]));
    }

    /** This map, with one slot at another master. */
    public function with(int $slot, string $master): self
    {
        $shard = array_search($master, array_column($this->shards, 0), true);
        $shards = \is_int($shard) ? $this->shards : [...$this->shards, [$master, []]];

        return new self($shards, [...$this->ranges, [$slot, $slot, \is_int($shard) ? $shard : \count($this->shards)]]);
    }

    /** @return array{string, list<string>}|null */
    private function shard(string $name): ?array
    {
        if (
            \count($this->ranges) === 1
            && \count($this->shards) === 1
            && $this->ranges[0][1] - $this->ranges[0][0] === HashSlot::COUNT - 1
        ) {
            return $this->shards[0];
        }
        if ($this->table === '') {
            $this->table = str_repeat(pack('v', self::NONE), HashSlot::COUNT);
            foreach ($this->ranges as [$first, $last, $shard]) {
                $count = $last - $first + 1;
                $this->table = substr_replace(
                    $this->table,
                    str_repeat(pack('v', $shard), $count),
                    2 * $first,
                    2 * $count,
                );
            }
        }
        $at = 2 * HashSlot::of($name);

        return $this->shards[\ord($this->table[$at]) | \ord($this->table[$at + 1]) << 8] ?? null;
    }

    /**
     * @param list<array{string, list<string>}> $shards
     * @param list<array{int, int, int}> $ranges
     */
    private static function checked(array $shards, array $ranges): ?self
    {
        foreach ($ranges as [$first, $last, $shard]) {
            if ($first < 0 || $last < $first || $last >= HashSlot::COUNT || !isset($shards[$shard])) {
                return null;
            }
        }

        return $ranges === [] || \count($shards) >= self::NONE ? null : new self($shards, $ranges);
    }
}
