<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Contract\Store;
use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Internal\Event\Events;
use Larder\Internal\Process\LogLine;
use Larder\Remember\Computation;
use Larder\Remember\RememberOptions;

/** The computations of a cache: those that run, and those that run after the response. */
final class Computations
{
    /** @var array<array-key, int> number of running computations by key */
    private array $depths = [];
    private ?AfterResponse $afterResponse = null;

    /** @var array<int, Claim> of this process */
    private static array $open = [];
    private static bool $endsWithRequest = false;

    public function __construct(
        private readonly Store $store,
        private readonly Freshness $freshness,
        private readonly ?Events $events,
    ) {}

    /** True if the key is being computed here, so its own computation asks for it. */
    public function isNested(string $key): bool
    {
        return isset($this->depths[$key]);
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
    public function run(
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

    /** @param \Closure(): mixed $recompute */
    public function addAfterResponse(\Closure $recompute): void
    {
        $this->afterResponse ??= new AfterResponse();
        $this->afterResponse->add($recompute);
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T what the callback returned once, in this process or another
     */
    public static function of(RememberOptions $options, StoredValue $found): mixed
    {
        /** @var T */
        return $found->value;
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
