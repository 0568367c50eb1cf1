<?php

declare(strict_types=1);

namespace Larder\Remember;

/** What is being computed by one Remember, so that nothing of it outlives its end, however it ends. */
final class RunningComputation
{
    /** @var array<array-key, int> how many times each key is being computed */
    private array $depths = [];

    /** @var array<int, array{Lease, Claim, float}> of those with a lease: that, the claim, and seconds for fail() */
    private array $open = [];
    private bool $endsWithRequest = false;

    /** Whether the key is being computed, so that who asks for it now is its own computation. */
    public function isNested(string $key): bool
    {
        return isset($this->depths[$key]);
    }

    /** @param RememberOptions<mixed> $options */
    public function begin(RememberOptions $options, ?Lease $lease, Claim $claim): void
    {
        $this->depths[$options->key] = ($this->depths[$options->key] ?? 0) + 1;
        if ($lease !== null) {
            $this->open[spl_object_id($lease)] = [$lease, $claim, (float) $options->lease];
            $this->endWithRequest();
        }
    }

    /** @param RememberOptions<mixed> $options */
    public function end(RememberOptions $options, ?Lease $lease, bool $isStored): void
    {
        if (--$this->depths[$options->key] === 0) {
            unset($this->depths[$options->key]);
        }
        if ($lease !== null) {
            [, $claim, $seconds] = $this->open[spl_object_id($lease)];
            unset($this->open[spl_object_id($lease)]);
            if (!$isStored) {
                $claim->fail($seconds); // before another can have the lease
            }
            $lease->release();
        }
    }

    /**
     * Also when the computation ends the whole request: by exit(), an error that cannot be caught, or out of time. In a
     * process that takes the next request, nothing else would end the lease.
     */
    private function endWithRequest(): void
    {
        if ($this->endsWithRequest) {
            return;
        }
        $this->endsWithRequest = true;
        $self = \WeakReference::create($this);
        register_shutdown_function(static function () use ($self): void {
            foreach ($self->get()->open ?? [] as [$lease, $claim, $seconds]) {
                $claim->fail($seconds);
                $lease->release();
            }
        });
    }
}
