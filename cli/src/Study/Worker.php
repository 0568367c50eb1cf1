<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\GetLoop;
use Larder\Cli\Compare\Handshake;
use Larder\Cli\Compare\SetLoop;
use Larder\Cli\Compare\Value;
use Larder\Cli\Compare\Worker as CompareWorker;
use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Timing\Timer;
use Larder\Cli\Timing\Work;
use Larder\Contract\Store;
use Larder\Exception\CacheException;

/** The measuring process of a study: takes a Job from its input, prints a Handshake and then one Measurement a line. */
final class Worker
{
    /** Nanoseconds that a batch of operations takes at least, and the bytes of values that it may hold. */
    private const BATCH = 500_000;
    private const HELD_BYTES = 1024 * 1024;
    private const MOST_OPERATIONS = 2048;

    /**
     * Parallel processes start each cell together. The start is this many times a cell's time limit after the start of
     * the previous cell, which leaves time to warm up.
     */
    private const STEP = 3;

    private function __construct(private readonly Job $job, private readonly Store $store) {}

    public static function run(): void
    {
        // A garbage collection in a batch would be counted to one store at random.
        gc_disable();
        $job = Job::fromLine((string) stream_get_contents(\STDIN));

        try {
            $store = CompareWorker::open($job->store);
        } catch (CacheException $unavailable) {
            self::say(Handshake::ofThisProcess($unavailable->getMessage())->line());

            return;
        }
        self::say(Handshake::ofThisProcess('')->line());
        (new self($job, $store))->measureAll();
    }

    private function measureAll(): void
    {
        $start = $this->job->start === '' ? null : StartSignal::await($this->job->start);
        foreach ($this->job->cells as $number => $cell) {
            if ($start !== null) {
                usleep(max(0, intdiv($start + $number * self::STEP * $this->job->nanoseconds - \hrtime(true), 1000)));
            }
            self::say($this->measure($number, $cell)->line());
        }
    }

    private function measure(int $number, Cell $cell): Measurement
    {
        $value = Values::all()[$cell->value];
        $key = \sprintf('study-%d-%s', $this->job->process, str_replace(' ', '', $value->name));

        try {
            $timer = new Timer(self::BATCH, self::MOST_OPERATIONS, self::HELD_BYTES);
            [
                $nanoseconds,
                $operations,
            ] = $timer->mean($this->work($cell->operation, $key, $value), $cell->operations, $this->job->nanoseconds);
            $this->store->delete($key);
        } catch (WrongResults $wrong) {
            return new Measurement($number, null, $wrong->operations, $wrong->getMessage());
        } catch (\Throwable $thrown) {
            return new Measurement($number, null, 1, \sprintf('throws %s: %s', $thrown::class, $thrown->getMessage()));
        }

        return new Measurement($number, $nanoseconds, operations: $operations);
    }

    private function work(Operation $operation, string $key, Value $value): Work
    {
        if ($operation === Operation::Set) {
            return new SetLoop($this->store, [$key], $value);
        }
        if ($operation === Operation::SetThenGet) {
            return new SetThenGetLoop($this->store, $key, $value);
        }
        $stored = $value->make(0);
        if (!$this->store->set($key, $stored)) {
            WrongResults::throwIfAny(['refuses values']);
        }

        return $operation === Operation::Get
            ? new GetLoop($this->store, [$key], [$stored])
            : new ConnectLoop($this->job->store, $key, $stored);
    }

    private static function say(string $line): void
    {
        fwrite(\STDOUT, $line . "\n");
    }
}
