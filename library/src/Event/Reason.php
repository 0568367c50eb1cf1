<?php

declare(strict_types=1);

namespace Larder\Event;

use Larder\Exception\StoreFailed;

/** Why a server did not answer. */
enum Reason: string
{
    /** It cannot be reached, or answers late or wrongly. */
    case Unreachable = 'unreachable';
    /** It does not let this client in. */
    case Refused = 'access refused';
    /** It answers, and refuses this request: it only reads, or this user may not. */
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
