<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Internal\Remember\Remember;
use Larder\Internal\Remember\StoredValue;
use Larder\Remember\RememberOptions;

/**
 * Computes missing values in the engine, which itself knows when a value becomes stale, what it cost, which process
 * computes, and whether that still lives. $stored is an entry of larder_fetch_entry(), or only its value if fresh.
 *
 * @extends Remember<EngineStore>
 */
final class EngineRemember extends Remember
{
    public function value(RememberOptions $options, bool $isAsked = false): mixed
    {
        if ($options->beta === \INF) {
            return $this->computedNow($options);
        }
        $name = $this->store->name($options->key);
        $fresh = $isAsked ? $this : \larder_fetch_fresh($name, $this, $options->beta);
        $isDue = $fresh === $this;
        $entry = $isDue ? \larder_fetch_entry($name) : ['value' => $fresh];
        $found = $this->usable($options, $entry);
        if ($found === null && !$isDue) {
            $entry = \larder_fetch_entry($name);
        }

        // A value that another process has stored since is not due.
        $isEarly = $isDue && $found !== null && $this->freshness->mayBeEarly($found, $options->beta);

        return $this->answer($options, $entry, $found, $isEarly);
    }

    protected function computedByOne(RememberOptions $options, mixed $stored, ?StoredValue $previous = null): mixed
    {
        $name = $this->store->name($options->key);
        $end = hrtime(true) + 1e9 * $options->wait;
        $useless = self::token($stored);
        while (!$this->isNested($options)) {
            $claim = \larder_claim($name, $token, $useless);
            if ($claim === \LARDER_CLAIM_OWN || $claim === \LARDER_CLAIM_UNAVAILABLE) {
                break; // by another object of its own computation
            }
            if ($claim === \LARDER_CLAIM_MISSING) {
                return $this->run($options, new EngineClaim($name, $token, true), $previous);
            }
            $isOver = false;
            if ($claim === \LARDER_CLAIM_VALUE) {
                \larder_unclaim($name);
            } else {
                $isOver = !\larder_await($name, max(0.0, ($end - hrtime(true)) / 1e9), $token);
            }
            $entry = \larder_fetch_entry($name);
            $found = $this->usable($options, $entry);
            if ($found !== null) {
                return self::of($options, $found);
            }
            if ($isOver || hrtime(true) >= $end) {
                return $this->run($options, new EngineClaim($name, $token, false), $previous);
            }
            // An unreadable value has no entry. Next to another's claim its token must be asked for, or nothing sleeps.
            $useless = self::token($entry) ?? ($claim === \LARDER_CLAIM_VALUE ? $token : null);
            if ($useless === null && $token === null) {
                \larder_fetch_cas($name, cas: $useless);
            }
        }

        return $this->run($options, null); // its own computation asks for it
    }

    protected function recomputedByOne(RememberOptions $options, StoredValue $found): mixed
    {
        $name = $this->store->name($options->key);
        $claim = \larder_claim($name, $token);
        if ($claim !== \LARDER_CLAIM_MISSING && $claim !== \LARDER_CLAIM_VALUE) {
            return self::of($options, $found);
        }
        $lease = new EngineClaim($name, $token, true);
        if ($claim === \LARDER_CLAIM_MISSING) { // it was deleted
            return $this->run($options, $lease, $found);
        }
        $entry = \larder_fetch_entry($name);
        $now = $this->usable($options, $entry);
        // The engine may have moved it: then it has another token, and the same time but for what passed as it was read.
        if ($now !== null && self::token($entry) === $token && $now->freshUntil !== 0.0
            && (!$now->isFresh($this->freshness->now()) || $now->freshUntil < $found->freshUntil + 0.01)) {
            return $this->run($options, $lease, $now);
        }
        $lease->end();

        // If there is a value, another process was first.
        return $now === null ? $this->computedByOne($options, $entry, $found) : self::of($options, $now);
    }

    protected function computedNow(RememberOptions $options): mixed
    {
        if ($this->isNested($options)) {
            return $this->run($options, null);
        }
        $name = $this->store->name($options->key);
        $found = $entry = null;
        for ($try = 0; $try < self::TRIES; ++$try) {
            $entry = \larder_fetch_entry($name);
            $found = $this->usable($options, $entry);
            if ($entry === null || $found === null || self::isMarked($name, $entry)) {
                break;
            }
        }
        $claim = $again = \larder_claim($name, $token, $found === null ? self::token($entry) : null);
        if ($claim === \LARDER_CLAIM_OWN || $claim === \LARDER_CLAIM_UNAVAILABLE) {
            return $this->run($options, null, throws: true); // by another object
        }
        if ($found === null && $token !== null) {
            $again = \larder_claim($name, $token, $token); // others have begun under the placeholder
        } elseif ($found !== null) {
            $token ??= self::token(\larder_fetch_entry($name)); // a claim does not report that of a fresh value
        }
        $hasLease = array_intersect([$claim, $again], [\LARDER_CLAIM_MISSING, \LARDER_CLAIM_VALUE]) !== [];

        return $this->run($options, new EngineClaim($name, $token, $hasLease), $found, throws: true);
    }

    /** @param mixed[] $entry stored once more, so that no computation takes it for the value that it began on */
    private static function isMarked(string $name, array $entry): bool
    {
        ['value' => $value, 'ttl' => $ttl, 'stale' => $stale, 'cost' => $cost, 'cas' => $token] = $entry;
        if (!\is_float($ttl) || !\is_float($stale) || !\is_float($cost) || !\is_int($token)) {
            return false;
        }
        if ($ttl < 0.0) { // it is stale
            [$ttl, $stale] = [EngineStore::SHORTEST, max(0.0, $stale + $ttl)];
        }

        return \larder_store_cas($name, $value, $token, $ttl, $stale, $cost);
    }

    protected function found(mixed $stored): ?StoredValue
    {
        return \is_array($stored) ? StoredValue::ofEntry($stored, $this->freshness->now()) : null;
    }

    private static function token(mixed $entry): ?int
    {
        $token = \is_array($entry) ? $entry['cas'] ?? null : null;

        return \is_int($token) ? $token : null;
    }
}
