<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Internal\Key\ReservedKey;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\Lock;

/**
 * How a value is computed and stored: the arguments of Cache::remember().
 *
 * @template T
 */
final class RememberOptions
{
    /**
     * Seconds that a visitor may wait for a page: workers that wait for a stopped process are missing elsewhere. The
     * lease is shorter, so that one process takes over from a dead one before all do.
     */
    public const WAIT = 5;
    public const LEASE = 4;

    private const SHORT_KEY = 250;

    public readonly float $ttl;
    public readonly float $stale;
    public readonly float $wait;

    /** @var \Closure(Computation): T */
    public readonly \Closure $make;

    /**
     * As CacheInterface::remember() takes them.
     *
     * @param callable(Computation): T $make
     * @param list<string> $tags
     * @throws InvalidKey|InvalidTtl
     */
    public function __construct(
        public readonly string $key,
        int|float $ttl,
        callable $make,
        int|float $stale = 0,
        public readonly array $tags = [],
        int|float $wait = self::WAIT,
        public readonly int|float $lease = self::LEASE,
        public readonly float $beta = 1.0,
        public readonly float $jitter = 0.05,
    ) {
        if ($key === '' || isset($key[self::SHORT_KEY])) { // others do not load Key
            Key::check($key);
        }
        if ($key[0] === "\0") {
            ReservedKey::refuse($key);
        }
        $this->ttl = Ttl::seconds($ttl);
        $this->stale = Ttl::seconds($stale);
        if ($wait < 0 || is_nan($wait)) {
            throw new InvalidTtl('Waiting for a value takes 0 or more seconds, not ' . var_export($wait, true));
        }
        if ($lease !== self::LEASE && !($lease > 0 && $lease <= Lock::LONGEST)) {
            $range = \sprintf('more than 0 and at most %d seconds', Lock::LONGEST);
            throw new InvalidTtl("A lease is for $range, not " . var_export($lease, true));
        }
        if ($beta < 0.0 || is_nan($beta)) {
            throw new InvalidTtl('beta is 0 or more, not ' . var_export($beta, true));
        }
        if (!($jitter >= 0.0 && $jitter < 1.0)) {
            throw new InvalidTtl('jitter is from 0 to less than 1, not ' . var_export($jitter, true));
        }
        $this->wait = (float) $wait;
        $this->make = $make(...);
    }
}
