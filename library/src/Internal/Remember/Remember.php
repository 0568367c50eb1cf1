<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Contract\Decorator;
use Larder\Contract\Store;
use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Event\Hit;
use Larder\Event\Miss;
use Larder\Internal\Decorator\MasterReads;
use Larder\Internal\Event\Events;
use Larder\Internal\Lock\Backoff;
use Larder\Internal\Process\Functions;
use Larder\Internal\Process\LogLine;
use Larder\Internal\Tag\Tags;
use Larder\Remember\Computation;
use Larder\Remember\RememberOptions;

/**
 * Computes missing values, in one process at a time for each key.
 *
 * The process that misses puts a placeholder, which is its lease too, and computes. The others poll for the value. If
 * the placeholder's owner is gone, one takes over: it times the lease by its own clock, as clocks of machines differ.
 * Waiting is bounded: after that each process computes for itself; at once if the store cannot compare or does not
 * answer, or if the computation stored nothing. A value that is stale, or due for early recomputation, is returned at
 * once, except in the process that puts a placeholder next to it. A write during a computation wins: see Claim.
 *
 * @template-covariant S of Store
 */
class Remember
{
    /** Microseconds between two polls for a value that another process computes: at first, and at most. */
    private const PAUSE = 1000;
    private const LONGEST_PAUSE = 20_000;
    /** Seconds between two checks whether the owner lives, which cost more than polls. */
    private const OWNER_PAUSE = 0.1;
    /** Tries in a store that other processes are writing to. */
    protected const TRIES = 3;

    /** For all but the first read: a value that a replica has not received yet is not missing. */
    private ?Store $masters = null;
    private ?Claims $claims = null;
    private ?AfterResponse $afterResponse = null;
    /** @var array<array-key, int> number of running computations by key */
    private array $depths = [];

    /** @var array<int, Claim> of this process */
    private static array $open = [];
    private static bool $endsWithRequest = false;

    /**
     * @param S $store
     * @param bool $isWithinRequest true to recompute nothing after the response
     */
    public function __construct(
        protected readonly Store $store,
        protected readonly Freshness $freshness = new Freshness(),
        private readonly ?Events $events = null,
        private readonly bool $isWithinRequest = false,
    ) {}

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @param bool $isAsked true if larder_fetch_fresh() has just found nothing
     * @return T
     */
    public function value(RememberOptions $options, bool $isAsked = false): mixed
    {
        if ($options->beta === \INF) {
            return $this->computedNow($options);
        }
        $stored = $this->store->get($options->key, $this);
        $found = $this->usable($options, $stored);
        if ($found === null && $this->masters() !== $this->store) {
            $stored = $this->stored($options);
            $found = $this->usable($options, $stored);
        }

        $isEarly = $found !== null && $this->freshness->isEarly($found, $options->beta);

        return $this->answer($options, $stored, $found, $isEarly);
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @param mixed $stored read from the store
     * @param StoredValue|null $found the usable value in that
     * @return T
     */
    protected function answer(RememberOptions $options, mixed $stored, ?StoredValue $found, bool $isEarly): mixed
    {
        if ($found === null) {
            $this->events?->tell(new Miss($options->key));

            return $this->computedByOne($options, $stored);
        }
        $isFresh = $found->isFresh($this->freshness->now());
        $this->events?->tell(new Hit($options->key, !$isFresh));
        if ($isFresh && !$isEarly || $this->isNested($options)) {
            /** @var T */
            return $found->value;
        }

        if (!$this->isAfterResponse()) {
            return $this->recomputedByOne($options, $found);
        }
        $this->afterResponse ??= new AfterResponse();
        $this->afterResponse->add(fn(): mixed => $this->recomputedByOne($options, $found));

        return self::of($options, $found);
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @param mixed $stored no usable value; $this for nothing
     * @param StoredValue|null $previous a value to return if the computation throws
     * @return T
     */
    protected function computedByOne(RememberOptions $options, mixed $stored, ?StoredValue $previous = null): mixed
    {
        $claims = $this->claims();
        if ($this->isNested($options)) {
            return $this->run($options, null); // its own computation asks for it
        }
        if (!$claims->isPossible()) {
            return $this->run($options, $claims->on($options->key, null), $previous);
        }
        $seen = $backoff = null;
        $awaited = $since = $looked = $refused = 0;

        while (true) {
            $there = Placeholder::of($stored);
            if ($there?->isOfThisProcess() === true) {
                return $this->run($options, null); // the same, by another object
            }
            if ($there !== null && $awaited !== 0 && $there->failed === $awaited) {
                return $this->run($options, $claims->on($options->key, $there), $previous);
            }
            $now = hrtime(true);
            if ($seen?->isSame($stored) !== true) {
                [$seen, $since, $looked] = [$there, $now, 0];
            }
            $isDue = $now - $looked >= 1e9 * self::OWNER_PAUSE;
            $isOver = $there === null || $isDue && $there->isOver(($now - $since) / 1e9);
            if ($isOver) {
                $isTimed = $previous !== null && $this->isAfterResponse();
                $taken = $claims->take($options->key, $stored, $this, (float) $options->lease, $isTimed);
                if ($taken !== null) {
                    return $this->run($options, $taken, $previous);
                }
                ++$refused;
            } else {
                $refused = 0;
                $awaited = $there->token;
                $looked = $isDue ? $now : $looked;
            }
            $backoff ??= new Backoff(self::PAUSE, self::LONGEST_PAUSE, $options->wait);
            if ($backoff->isOver() || $refused >= self::TRIES) {
                $claim = $there === null ? null : $claims->on($options->key, $there);

                return $this->run($options, $claim, $previous);
            }
            if (!$isOver) {
                $backoff->pause();
            }
            $stored = $this->stored($options);
            if ($stored === $this && $awaited !== 0) {
                Functions::sleep(self::PAUSE); // Yac sometimes misses a value that many processes ask for
                $stored = $this->stored($options);
            }
            $found = $this->usable($options, $stored);
            if ($found !== null) {
                return self::of($options, $found);
            }
        }
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T
     */
    protected function recomputedByOne(RememberOptions $options, StoredValue $found): mixed
    {
        // After the response, the lease also needs a time limit: if PHP fails there, no shutdown function runs.
        $claim = $this->claims()->takeBeside($options->key, (float) $options->lease, $this->isAfterResponse());
        if ($claim === null) {
            return self::of($options, $found);
        }
        $stored = $this->stored($options);
        $now = $this->usable($options, $stored);
        if ($now !== null && $now->freshUntil !== 0.0 && $now->freshUntil <= $found->freshUntil) {
            $claim->begun = $now;

            return $this->run($options, $claim, $found);
        }
        $claim->end();

        // If there is a value, another process was first.
        return $now === null ? $this->computedByOne($options, $stored, $found) : self::of($options, $now);
    }

    /**
     * Computes even if another process does, and whatever is there: readers may get that until the new value is stored.
     *
     * @template T
     * @param RememberOptions<T> $options
     * @return T
     */
    protected function computedNow(RememberOptions $options): mixed
    {
        if ($this->isNested($options)) {
            return $this->run($options, null);
        }
        $claim = $found = null;
        for ($try = 0; $claim === null && $try < self::TRIES; ++$try) {
            $stored = $this->stored($options);
            if (Placeholder::of($stored)?->isOfThisProcess() === true) {
                return $this->run($options, null, throws: true); // by another object
            }
            $found = $this->usable($options, $stored);
            $claim = $this->claims()->takeNow($options, $stored, $this, $found);
        }

        return $this->run($options, $claim, $found, throws: true);
    }

    /**
     * Calls the callback, and stores its result by the claim.
     *
     * @template T
     * @param RememberOptions<T> $options
     * @param Claim|null $claim null to store nothing
     * @param StoredValue|null $previous the value to recompute, which is returned if the callback throws, unless
     *         $throws
     * @return T
     */
    protected function run(
        RememberOptions $options,
        ?Claim $claim,
        ?StoredValue $previous = null,
        bool $throws = false,
    ): mixed {
        $isStored = false;
        $seconds = $failed = null;
        $this->depths[$options->key] = ($this->depths[$options->key] ?? 0) + 1;
        if ($claim !== null) {
            self::$open[spl_object_id($claim)] = $claim;
            self::endWithRequest();
        }

        try {
            $computation = new Computation($options, $this->store, $claim, $previous);
            $start = hrtime(true);

            try {
                $value = ($options->make)($computation);
            } catch (\Throwable $error) {
                [$seconds, $failed] = [(hrtime(true) - $start) / 1e9, $error::class];
                if ($throws || $previous === null) {
                    throw $error;
                }
                $value = 'the value of "' . addcslashes($options->key, "\0..\37\177") . '"';
                LogLine::write("Larder: $value could not be recomputed, the old one is returned: $error");

                return self::of($options, $previous);
            }
            $seconds = (hrtime(true) - $start) / 1e9;
            $made = $computation->made($value, $seconds, $this->freshness);
            $isStored = $made !== null && $claim?->store($made[0], $made[1], $options->stale) === true;

            return $value;
        } finally {
            if (--$this->depths[$options->key] === 0) {
                unset($this->depths[$options->key]);
            }
            if ($claim !== null) {
                unset(self::$open[spl_object_id($claim)]);
                $claim->end($isStored);
            }
            if ($seconds !== null) {
                $this->events?->tell($failed !== null
                    ? new ComputationFailed($options->key, $seconds, $failed)
                    : new Computed($options->key, $seconds, $isStored));
            }
        }
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T what the callback returned once, in this process or another
     */
    protected static function of(RememberOptions $options, StoredValue $found): mixed
    {
        /** @var T */
        return $found->value;
    }

    /** True if values that readers may still get are recomputed after the response. */
    private function isAfterResponse(): bool
    {
        return !$this->isWithinRequest && AfterResponse::isPossible();
    }

    /**
     * True if the key is being computed here, so its own computation asks for it.
     *
     * @param RememberOptions<mixed> $options
     */
    protected function isNested(RememberOptions $options): bool
    {
        return isset($this->depths[$options->key]);
    }

    /**
     * @param RememberOptions<mixed> $options
     * @phpstan-impure
     */
    private function stored(RememberOptions $options): mixed
    {
        return $this->masters()->get($options->key, $this);
    }

    /**
     * @param RememberOptions<mixed> $options
     * @return StoredValue|null null if there is none, it is staler than it may be, or a tag was invalidated
     * @phpstan-impure
     */
    protected function usable(RememberOptions $options, mixed $stored): ?StoredValue
    {
        $found = $this->found($stored);
        $isUsable = $found?->isFresh(max(0.0, $this->freshness->now() - $options->stale)) === true
            && ($found->tagVersions === [] || (new Tags($this->store))->areCurrent($found->tagVersions));

        return $isUsable ? $found : null;
    }

    protected function found(mixed $stored): ?StoredValue
    {
        return $stored === $this ? null : StoredValue::found($stored);
    }

    private function masters(): Store
    {
        return $this->masters ??= $this->store instanceof Decorator ? MasterReads::of($this->store) : $this->store;
    }

    private function claims(): Claims
    {
        return $this->claims ??= new Claims($this->masters());
    }

    /**
     * Ends leases also if the computation ends the whole request: by exit(), an error that cannot be caught, or out of
     * time. If the process takes another request, nothing else would. One function for the process, as PHP keeps each
     * until it ends.
     */
    private static function endWithRequest(): void
    {
        if (self::$endsWithRequest) {
            return;
        }
        self::$endsWithRequest = true;
        $end = static function (): void {
            foreach (self::$open as $claim) {
                $claim->end();
            }
        };

        try {
            register_shutdown_function($end);
        } catch (\Error) {
            // The host disables it: then a lease ends by its time.
        }
    }
}
