<?php

declare(strict_types=1);

namespace Larder\Tests\Event;

use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Event\Event;
use Larder\Event\Failed;
use Larder\Event\Hit;
use Larder\Event\Miss;
use Larder\Event\Observer;

/** Records the events, as words. */
final class RecordingObserver implements Observer
{
    /** @var list<Event> */
    public array $events = [];

    public function observe(Event $event): void
    {
        $this->events[] = $event;
    }

    /** @return list<string> since the last call */
    public function told(): array
    {
        $words = array_map(static fn(Event $event): string => match (true) {
            $event instanceof Hit => ($event->isStale ? 'stale ' : 'hit ') . $event->key,
            $event instanceof Miss => 'miss ' . $event->key,
            $event instanceof Computed => ($event->isStored ? 'computed ' : 'not stored ') . $event->key,
            $event instanceof ComputationFailed => "$event->key: $event->exception",
            $event instanceof Failed => trim("$event->store $event->where") . ": $event->reason",
            default => $event::class,
        }, $this->events);
        $this->events = [];

        return $words;
    }
}
