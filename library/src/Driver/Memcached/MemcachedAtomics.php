<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Contract\Entry;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\PacksByCodec;
use Larder\Lock\LocksByChanging;

/**
 * What a memcached server does in one step: each value has a number there that is new with every change, and the server
 * writes only where the number is the one that was read (gets and cas), or where there is nothing (add). When another was
 * first, all begins again; others have gone on then. The server's own counters are not used: they know no negative numbers.
 */
trait MemcachedAtomics
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    /** A unix time that is over. */
    private const PAST = 1.0;
    /** Stands in the place of what was removed: no codec's bytes. */
    private const NOTHING = "\0";

    /** Servers are asked from other machines too. */
    private function seesOwners(): bool
    {
        return false;
    }

    /** @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            $name = $this->name($key);
            if ($name === null) {
                return false;
            }
            $there = $this->text->gets($name);
            $stored = $there[0] ?? ''; // what is not ours is to be written over, but not read
            $bytes = $this->opened($stored, $name, $key);
            $until = Envelope::until($stored);
            $new = $change($bytes === null ? null : new Entry($bytes, $until));
            if ($new === false) {
                return false;
            }
            $until = $new === null ? self::PAST : $new->until ?? $until;
            $sealed = $this->sealed($new === null ? self::NOTHING : $new->stored, $until, $name, $key);
            $expiry = $until === 0.0 ? 0 : self::expiry(max(0.001, $until - microtime(true)));
            $done = $there === null ? $this->writeNew($name, $sealed, $expiry) : $this->text->cas($name, $sealed, $expiry, $there[1]);
            if ($done !== false) {
                return $done === true;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }
}
