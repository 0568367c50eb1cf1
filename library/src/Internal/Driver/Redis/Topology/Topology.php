<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Driver\Redis\Redirection;
use Larder\Internal\Driver\Redis\Wire\ServerGone;

/**
 * The known servers of each slot. They are requested again if a server redirects a command or does not answer. All
 * processes of this user on this machine together do so at most every tenth of a second.
 */
final class Topology
{
    /** Seconds between two requests. */
    private const PAUSE = 0.1;
    /** Seconds after which a new object no longer trusts the map of another process, since replicas come and go. */
    private const FRESH = 60.0;
    /** Seconds in which a failed server is asked last, because it may cost a timeout. */
    private const AVOIDED = 60.0;

    private ?SlotMap $map = null;
    /** Time of the servers' answer, unix time. */
    private float $asOf = 0.0;
    /** Time of this object's last request without an answer. */
    private float $failedAt = 0.0;

    /** @var array<string, float> time of a server's last failure, by "host:port": it is asked last */
    private array $away = [];

    /** @param \Closure(list<string>, array<int, string>): SlotMap $discovery see ClusterDiscovery::ask() */
    public function __construct(
        private readonly \Closure $discovery,
        private readonly TopologyRecord $record,
        private readonly Breaker $breaker,
    ) {}

    /** @throws StoreFailed if no server answers */
    public function map(): SlotMap
    {
        if ($this->map === null && (!$this->adopt() || microtime(true) - $this->asOf > self::FRESH)) {
            try {
                $this->ask();
            } catch (StoreFailed $failure) {
                return $this->map ?? throw $failure;
            }
        }

        return $this->map ?? throw $this->breaker->refusal();
    }

    /**
     * Asks the servers again, unless another process has just done so.
     *
     * @param string $away "host:port" of a server that has just failed; may be empty
     * @param string $first "host:port" of a server that has just answered; may be empty
     * @return bool true if the map has changed
     */
    public function refresh(string $away = '', string $first = ''): bool
    {
        if ($away !== '') {
            $this->away[$away] = microtime(true);
        }
        if ($this->adopt()) {
            return true;
        }
        $since = microtime(true) - max($this->asOf, $this->failedAt);
        if ($since >= 0.0 && $since < self::PAUSE) {
            return false;
        }

        try {
            return $this->ask($first);
        } catch (StoreFailed) {
            return false;
        }
    }

    /**
     * Asks the servers again; for callers that need every server.
     *
     * @param bool $isAskedAnyway true to ask even if they have just failed, for callers that want to know the reason
     * @throws StoreFailed if no server answers
     */
    public function current(bool $isAskedAnyway = false): SlotMap
    {
        $this->ask(isAskedAnyway: $isAskedAnyway);

        return $this->map ?? throw $this->breaker->refusal();
    }

    /**
     * @param string $name the name in the command
     * @param string $server "host:port" of the server that redirected the command
     * @return string|null "host:port" of the server to use, perhaps only for this command; null if there is none
     * @throws StoreFailed if no server answers
     */
    public function follow(Redirection $redirection, string $name, string $server): ?string
    {
        $host = $redirection->host === '' ? Endpoint::parse($server)->host : $redirection->host;
        $target = $redirection->slot === null ? null : Endpoint::named($host, $redirection->port)?->__toString();
        if ($redirection->isOnce) {
            return $target;
        }
        $this->refresh(first: $server);
        $map = $this->map();
        if ($target !== null && $map->master($name) !== $target) {
            // the server that was asked does not know of the move yet
            $this->map = $map->with($redirection->slot, $target);
        }

        return $target ?? $map->master($name);
    }

    /**
     * @return bool true if the map has changed
     * @throws StoreFailed
     */
    private function ask(string $first = '', bool $isAskedAnyway = false): bool
    {
        $start = microtime(true);
        $map = $this->breaker->call(function () use ($first, $start): SlotMap {
            $known = $this->map?->servers() ?? [];
            shuffle($known); // so that not every process asks the same server
            $away = array_keys(array_filter(
                $this->away,
                static fn(float $time): bool => $start - $time < self::AVOIDED,
            ));

            try {
                return ($this->discovery)($first === '' ? $known : [$first, ...$known], array_diff($away, [$first]));
            } catch (ServerGone $gone) {
                $this->failedAt = microtime(true);

                throw StoreFailed::because('redis', $gone->getMessage(), $gone);
            }
        }, $isAskedAnyway);
        $this->record->write($start, $map);

        return $this->learn($start, $map);
    }

    /** @return bool true if another process has recorded another map */
    private function adopt(): bool
    {
        $recorded = $this->record->read();

        return $recorded !== null && $recorded[0] > $this->asOf && $recorded[0] <= microtime(true)
            && $this->learn(...$recorded);
    }

    private function learn(float $time, SlotMap $map): bool
    {
        $isOther = $this->map?->toString() !== $map->toString();
        $this->map = $map;
        $this->asOf = $time;

        return $isOther;
    }
}
