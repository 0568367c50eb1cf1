<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Driver\Redis\Redirection;
use Larder\Internal\Driver\Redis\Wire\ServerGone;

/**
 * What is known of which server has which slots. It is asked for again when a server sends a command elsewhere or does
 * not answer, at most every tenth of a second by all processes of this user on this machine.
 */
final class Topology
{
    /** Seconds between two questions. */
    private const PAUSE = 0.1;
    /**
     * Seconds after which an object that begins with what another process was told asks for itself: replicas come and
     * go.
     */
    private const FRESH = 60.0;
    /** Seconds for which a server that failed is asked after all others: it may cost a timeout. */
    private const AVOIDED = 60.0;

    private ?SlotMap $map = null;
    /** When the servers said so, unix time. */
    private float $asOf = 0.0;
    /** When this object last asked in vain. */
    private float $failedAt = 0.0;

    /** @var array<string, float> when a server last failed, by "host:port": it is asked last */
    private array $away = [];

    /** @param \Closure(list<string>, array<int, string>): SlotMap $discovery see ClusterDiscovery::ask() */
    public function __construct(
        private readonly \Closure $discovery,
        private readonly TopologyRecord $record,
        private readonly Breaker $breaker,
    ) {}

    /** @throws StoreFailed when no server tells */
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
     * Asks again, unless somebody has just done so.
     *
     * @param string $away "host:port" of a server that has just failed; may be empty
     * @param string $first "host:port" of one that has just answered; may be empty
     * @return bool whether it is another map now
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
     * As of now, for who must miss no server.
     *
     * @param bool $isAskedAnyway even if they have just failed, for who wants to know why
     * @throws StoreFailed when no server tells
     */
    public function current(bool $isAskedAnyway = false): SlotMap
    {
        $this->ask(isAskedAnyway: $isAskedAnyway);

        return $this->map ?? throw $this->breaker->refusal();
    }

    /**
     * @param string $name that the server was asked about
     * @param string $server "host:port" of the one that sent the command elsewhere
     * @return string|null "host:port" of the one that has it, if only for this command; null when none has
     * @throws StoreFailed when no server tells
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
            $this->map = $map->with($redirection->slot, $target); // the one that was asked has not heard of it yet
        }

        return $target ?? $map->master($name);
    }

    /**
     * @return bool whether it is another map now
     * @throws StoreFailed
     */
    private function ask(string $first = '', bool $isAskedAnyway = false): bool
    {
        $start = microtime(true);
        $map = $this->breaker->call(function () use ($first, $start): SlotMap {
            $known = $this->map?->servers() ?? [];
            shuffle($known); // not every process the same one
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

    /** @return bool whether another process has learned of another map */
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
