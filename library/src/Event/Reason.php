<?php

declare(strict_types=1);

namespace Larder\Event;

use Larder\Exception\StoreFailed;

/** Reasons why a server did not do what was asked. */
enum Reason: string
{
    /** It cannot be reached, or answers late or wrongly. */
    case Unreachable = 'unreachable';
    /** It refuses this client. */
    case Refused = 'access refused';
    /** It answers, but refuses this request: it is read-only, or the user lacks a right. */
    case RequestRefused = 'request refused';
    /** It was not asked, since the breaker is open. */
    case BreakerOpen = 'breaker open';
    /** A connection was lost, and a new one is open. */
    case Reconnected = 'reconnected';
    /** The application uses its client for something else, such as a transaction. */
    case Busy = 'client busy';

    public static function of(StoreFailed $failure): self
    {
        return match (true) {
            $failure->isBusy => self::Busy,
            $failure->isOver => self::Reconnected,
            $failure->isOfRequest => self::RequestRefused,
            $failure->isRefusal => self::Refused,
            default => self::Unreachable,
        };
    }
}
