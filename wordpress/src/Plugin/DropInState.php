<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

enum DropInState
{
    case Absent;
    case Current;
    /** Ours, of another version of the plugin. */
    case Outdated;
    case Foreign;

    public function isOurs(): bool
    {
        return $this === self::Current || $this === self::Outdated;
    }
}
