<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Breaker;

use Larder\Event\Failed;
use Larder\Event\Reason;
use Larder\Exception\StoreFailed;
use Larder\Internal\Event\Events;
use Psr\Clock\ClockInterface;
use Psr\Log\LoggerInterface;

/**
 * A circuit breaker: after some failures in a row it opens, and calls fail at once, until one call, the probe, may find
 * out whether the server is back. If it is not, the next probe comes later, after half a minute at most.
 *
 * All processes of a user share one record: an outage costs the machine a few timeouts instead of one per request, and
 * there is one probe at a time and one log line. Without a record, each object has its own state.
 */
final class Breaker
{
    /**
     * Seconds, in addition to four timeouts. Failures further apart do not count as consecutive. With one a minute, an
     * open breaker would save nothing.
     */
    private const WINDOW = 60.0;
    private const FIRST_PAUSE = 0.5;
    private const LONGEST_PAUSE = 30.0;
    /**
     * The first pause lasts this many times as long as the failed call, because a probe delays a request by that time.
     */
    private const PAUSE_IN_FAILURES = 5.0;

    /**
     * True if no failure of the server is known. Then only failed() needs to be called.
     *
     * @phpstan-readonly-allow-private-mutation
     */
    public bool $isWell = false;
    private bool $isProbing = false;
    private ?OutageRecord $refusals = null;

    /**
     * @param string $store the scheme, such as "redis"
     * @param string $where the server's address, such as "127.0.0.1:6379"
     * @param int $threshold consecutive failures that count as an outage; PHP_INT_MAX for a breaker that never opens
     * @param LoggerInterface|(\Closure(): LoggerInterface)|null $logger the logger, or a closure that returns it,
     *         called if there is something to log
     * @param float $probe seconds after which a probe without a result counts as lost, because its process died
     * @param ClockInterface|null $clock null for the machine's clock
     */
    public function __construct(
        private readonly string $store,
        private readonly string $where,
        private readonly OutageRecord $record = new OutageRecord(),
        private readonly LoggerInterface|\Closure|null $logger = null,
        private readonly int $threshold = 2,
        private readonly float $probe = 5.0,
        private readonly ?ClockInterface $clock = null,
        private readonly ?Events $events = null,
    ) {}

    /**
     * @template T
     * @param \Closure(): T $work which throws StoreFailed if the server does not answer
     * @param bool $isAskedAnyway true to call the server even if it has just failed, for callers that want to know the
     *         reason
     * @return T
     * @throws StoreFailed also if the breaker is open
     */
    public function call(\Closure $work, bool $isAskedAnyway = false): mixed
    {
        if (!$isAskedAnyway && !$this->allows()) {
            throw $this->refuse();
        }
        $start = hrtime(true);

        try {
            $answer = $work();
            $this->recordSuccess();

            return $answer;
        } catch (StoreFailed $failure) {
            $this->fail($failure, (hrtime(true) - $start) / 1e9);

            throw $failure;
        } catch (\Throwable $refusal) {
            $this->endedWithoutCall();

            throw $refusal;
        }
    }

    /**
     * Records a failed call, for each kind of failure.
     *
     * @param float $seconds as for failed()
     */
    public function fail(StoreFailed $failure, float $seconds = 0.0): void
    {
        if ($failure->isBusy || $failure->isOver) {
            $this->endedWithoutCall();
        } elseif ($failure->isOfRequest) {
            $this->refused($failure);
        } else {
            $this->failed($failure, $seconds);
        }
        $this->events?->tell(new Failed($this->store, $this->where, Reason::of($failure)->value));
    }

    /** The exception for a call that allows() refused. */
    public function refuse(): StoreFailed
    {
        $this->events?->tell(new Failed($this->store, $this->where, Reason::BreakerOpen->value));

        return $this->refusal();
    }

    /**
     * True if a call may go to the server now. After that call, report recordSuccess(), failed() or endedWithoutCall().
     */
    public function allows(): bool
    {
        return $this->isWell || $this->looksUp();
    }

    /** Seconds until a call may go to the server; 0.0 if it may now. */
    public function secondsToProbe(): float
    {
        if ($this->isWell || !$this->record->isThere()) {
            return 0.0;
        }
        $now = $this->now();
        $outage = $this->record->read();

        return $outage->failures < $this->threshold || $this->isDue($outage, $now) ? 0.0 : $outage->until - $now;
    }

    public function recordSuccess(): void
    {
        if ($this->isWell) {
            return;
        }
        $this->isWell = true;
        $this->isProbing = false;
        if (!$this->record->isThere() || $this->record->read()->failures === 0) {
            return;
        }
        $outage = $this->record->change(static fn(): Outage => new Outage());
        if ($outage->failures >= $this->threshold) {
            $this->logger()?->notice('{store} at {where} is back after {seconds} seconds', [
                'store' => $this->store,
                'where' => $this->where,
                'seconds' => round($this->now() - $outage->since, 1),
            ]);
        }
    }

    /** @param float $seconds duration of the call; 0.0 if it was not measured */
    public function failed(StoreFailed $failure, float $seconds = 0.0): void
    {
        $wasProbing = $this->isProbing;
        $this->isWell = false;
        $this->isProbing = false;
        $now = $this->now();
        $hasBegun = false;
        $this->record->change(function (Outage $outage) use ($now, $seconds, $wasProbing, &$hasBegun): Outage {
            $isOpen = $outage->failures >= $this->threshold;
            if (!$isOpen && $now - $outage->last > self::WINDOW + $this->probe) {
                $outage = new Outage();
            }
            $failures = $outage->failures + 1;
            $since = $outage->failures === 0 ? $now : $outage->since;
            $hasBegun = !$isOpen && $failures >= $this->threshold;
            $probes = $outage->probes + ($wasProbing ? 1 : 0);
            $until = $hasBegun || $wasProbing ? $now + self::pause($probes, $seconds) : $outage->until;

            return new Outage($failures, $probes, $since, $now, $until);
        });
        if ($hasBegun) {
            $this->logger()?->warning(
                $failure->isRefusal
                    ? '{store} at {where} refuses this client: {reason}'
                    : '{store} at {where} is away: {reason}',
                [
                    'store' => $this->store,
                    'where' => $this->where,
                    'reason' => $failure->what,
                    'exception' => $failure,
                ],
            );
        }
    }

    /**
     * Records that the server answered and refused the request. The first is logged, and another one after a minute
     * without any.
     */
    public function refused(StoreFailed $refusal): void
    {
        $this->recordSuccess();
        $now = $this->now();
        $this->refusals ??= $this->record->ofRequests();
        $before = $this->refusals->change(
            static fn(Outage $before): Outage => new Outage($before->failures + 1, since: $before->since, last: $now),
        );
        if ($before->failures === 0 || abs($now - $before->last) > self::WINDOW) {
            $this->logger()?->warning('{store} at {where} refuses requests: {reason}', [
                'store' => $this->store,
                'where' => $this->where,
                'reason' => $refusal->what,
                'exception' => $refusal,
            ]);
        }
    }

    /** Records that the call ended before it reached the server. */
    public function endedWithoutCall(): void
    {
        if ($this->isProbing) {
            $this->isProbing = false;
            $this->record->change(static fn(Outage $outage): Outage => $outage->until(0.0));
        }
    }

    public function refusal(): StoreFailed
    {
        $now = $this->now();
        $outage = $this->record->read();

        return StoreFailed::because($this->store, \sprintf(
            '%s has been away for %.1f seconds, and is asked again in %.1f',
            $this->where,
            $now - $outage->since,
            max(0.0, $outage->until - $now),
        ));
    }

    private function looksUp(): bool
    {
        if (!$this->record->isThere()) {
            return $this->isWell = true;
        }
        $now = $this->now();
        $outage = $this->record->read();
        if ($outage->failures === 0) {
            return $this->isWell = true;
        }
        if ($outage->failures < $this->threshold) {
            return true;
        }
        if (!$this->isDue($outage, $now)) {
            return false;
        }
        $this->record->change(function (Outage $outage) use ($now): Outage {
            $this->isProbing = $outage->failures >= $this->threshold && $this->isDue($outage, $now);

            return $this->isProbing ? $outage->until($now + $this->probe) : $outage;
        });

        return $this->isProbing;
    }

    /** If the time is further ahead than any pause, the clock was set back. */
    private function isDue(Outage $outage, float $now): bool
    {
        return $outage->until <= $now || $outage->until > $now + self::LONGEST_PAUSE + $this->probe;
    }

    /** Each pause is twice the previous one, and shortened at random, so that not all machines probe at once. */
    private static function pause(int $probes, float $seconds): float
    {
        $first = max(self::FIRST_PAUSE, self::PAUSE_IN_FAILURES * $seconds);
        $longest = min(self::LONGEST_PAUSE, $first * 2 ** min($probes, 16));

        return $longest * random_int(500_000, 1_000_000) / 1_000_000;
    }

    private function now(): float
    {
        return $this->clock === null ? microtime(true) : (float) $this->clock->now()->format('U.u');
    }

    private function logger(): ?LoggerInterface
    {
        return $this->logger instanceof \Closure ? ($this->logger)() : $this->logger;
    }
}
