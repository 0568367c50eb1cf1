<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Sampling;

use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\StoreUnavailable;
use Larder\Process\Pid;

/**
 * Forwards everything, and samples one operation in $every: read or write, hit or miss, and the size of the value. It
 * keeps no key and no value. The samples go to the RecordingFile at the end of the request.
 *
 * Each operation is sampled with the same probability, whatever was sampled before: the number of operations to the
 * next one has a geometric distribution. So short requests count as much as long ones.
 */
final class SamplingStore extends TransparentDecorator implements ResettableStore
{
    /** Seconds between two writes of a process that serves no requests. */
    private const WRITE_EVERY = 10.0;

    /** Operations to the next sample. */
    private int $left = 0;
    /** Operations since the request began when $left is 0. */
    private int $planned = 0;
    private int $samplesOfRequest = 0;

    /** @var array<string, int> not written yet; see Recording */
    private array $samples = [];
    private float $nextWrite = 0.0;
    private int $process = 0;

    /**
     * @param int $every operations for each sample, on average; at least 1
     * @param RecordingFile|null $file null: that of this user
     */
    public function __construct(
        private readonly Store $store,
        private readonly int $every,
        private ?RecordingFile $file = null,
    ) {
        $this->plan();
    }

    public function __destruct()
    {
        $this->end();
    }

    public function decorated(): Store
    {
        return $this->store;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if (--$this->left > 0) {
            return $this->store->get($key, $default);
        }
        $value = $this->store->get($key, $this);
        $this->sample('hit', $value);
        $this->plan();

        return $value === $this ? $default : $value;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $count = \count($keys);
        if (($this->left -= $count) > 0 || $count === 0) {
            return $this->store->getMany($keys, $default);
        }
        $values = $this->store->getMany($keys, $this);
        while ($this->left <= 0) {
            $this->sample('hit', $values[$keys[$count - 1 + $this->left]]);
            $this->plan();
        }

        return array_map(fn(mixed $value): mixed => $value === $this ? $default : $value, $values);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->countWrite($value);

        return $this->store->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $count = \count($values);
        $this->left -= $count;
        while ($this->left <= 0 && $count > 0) {
            $this->sample('write', current(\array_slice($values, $count - 1 + $this->left, 1)));
            $this->plan();
        }

        return $this->store->setMany($values, $ttl);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->countWrite($value);

        return parent::add($key, $value, $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->countWrite($value);

        return parent::replace($key, $value, $ttl);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $this->countWrite($step);

        return parent::increment($key, $step, $first, $ttl);
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        $this->countWrite($value);

        return parent::setIf($key, $isExpected, $value, $ttl);
    }

    public function getWithToken(string $key): ?array
    {
        $found = parent::getWithToken($key);
        if (--$this->left <= 0) {
            $this->sample('hit', $found === null ? $this : $found[0]);
            $this->plan();
        }

        return $found;
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        $this->countWrite($value);

        return parent::setIfToken($key, $token, $value, $ttl);
    }

    public function reset(): void
    {
        $this->end();
        if ($this->store instanceof ResettableStore) {
            $this->store->reset();
        }
    }

    private function countWrite(mixed $value): void
    {
        if (--$this->left <= 0) {
            $this->sample('write', $value);
            $this->plan();
        }
    }

    /** Draws the number of operations to the next sample. */
    private function plan(): void
    {
        $random = random_int(1, \PHP_INT_MAX) / \PHP_INT_MAX;
        $next = $this->every === 1 ? 1 : 1 + (int) min(1e12, log($random) / log(1 - 1 / $this->every));
        $this->left += $next;
        $this->planned += $next;
    }

    /** @param mixed $value this object for a miss */
    private function sample(string $operation, mixed $value): void
    {
        $kind = $value === $this ? 'miss' : Recording::kind($operation, $value);
        if ($this->process !== Pid::own()) { // samples from before a fork are the parent's
            $this->process = Pid::own();
            $this->samples = [];
            $this->samplesOfRequest = 0;
            $this->nextWrite = microtime(true) + self::WRITE_EVERY;
        }
        $this->samples[$kind] = ($this->samples[$kind] ?? 0) + 1;
        ++$this->samplesOfRequest;
        if (microtime(true) >= $this->nextWrite) {
            $this->write(0.0);
        }
    }

    /** A request of n operations has n / $every samples on average, and each counts for $every / n of a request. */
    private function end(): void
    {
        if ($this->samplesOfRequest > 0 && $this->process === Pid::own()) {
            $this->write($this->samplesOfRequest * $this->every / max(1, $this->planned - $this->left));
        }
        $this->samplesOfRequest = 0;
        $this->planned = $this->left;
    }

    private function write(float $requests): void
    {
        $samples = $this->samples;
        $this->samples = [];
        $this->nextWrite = microtime(true) + self::WRITE_EVERY;

        try {
            $this->file ??= RecordingFile::ofThisUser();
            $this->file->change(fn(Recording $before): Recording => $before->with($samples, $this->every, $requests));
        } catch (StoreUnavailable) {
            // No folder is available for them; `larder sample` says why.
        }
    }
}
