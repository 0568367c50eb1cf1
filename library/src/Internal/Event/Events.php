<?php

declare(strict_types=1);

namespace Larder\Internal\Event;

use Larder\Event\Event;
use Larder\Event\Observer;
use Psr\Log\LoggerInterface;

/** Passes events to an observer. Neither its exceptions nor its own use of the cache have an effect on the cache. */
final class Events
{
    /** @var array<int, true> by fiber, 0 for none: while an observer waits in one, the others go on */
    private array $telling = [];
    private bool $isLogged = false;

    public function __construct(private readonly Observer $observer, private readonly LoggerInterface $logger) {}

    public function tell(Event $event): void
    {
        $current = \Fiber::getCurrent();
        $fiber = $current === null ? 0 : spl_object_id($current);
        if (isset($this->telling[$fiber])) {
            return;
        }
        $this->telling[$fiber] = true;

        try {
            $this->observer->observe($event);
        } catch (\Throwable $thrown) {
            if (!$this->isLogged) {
                $this->isLogged = true;
                $message = '{observer} has thrown {exception} at {file}:{line}; '
                    . 'the cache goes on, and no more of it is logged';
                $this->logger->error($message, [
                    'observer' => $this->observer::class,
                    'exception' => $thrown::class,
                    'file' => $thrown->getFile(),
                    'line' => $thrown->getLine(),
                ]);
            }
        } finally {
            unset($this->telling[$fiber]);
        }
    }
}
