<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Store;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;

/**
 * The newest changes of a shared tier, kept among its values: a number that each change raises, and a ring of the
 * changes.
 *
 *     head        int             the number of the newest change
 *     slot N      [number, parts] the keys of that change (LocalCopies::part()); null in the place of parts for all
 *
 * If a host comes too late for the ring, or misses a slot, it does not know what changed, and treats everything as
 * changed. Numbers begin with the time in microseconds, so the numbers of a log that was lost and began again are far
 * from the earlier ones.
 */
final class ChangeLog
{
    private const SLOTS = 4096;
    /** Bytes of keys in a slot. */
    private const LONGEST = 65_536;
    /** Seconds. A host that comes later has no copies any more, or makes them invalid. */
    private const KEPT = 3600;
    /** Microseconds to wait, one after the other, for a process between raising the number and writing the slot. */
    private const PAUSES = [0, 1000, 3000, 10_000];

    public function __construct(private readonly Store&AtomicStore $shared) {}

    /**
     * @param list<string> $parts that were changed before this call
     * @return int|null the number of the change; null if the shared tier refused
     */
    public function announce(array $parts): ?int
    {
        $number = $this->shared->increment(ReservedKey::changes(), 1, self::first());
        if ($number === false) {
            return $this->replaced();
        }
        $isShort = array_sum(array_map(strlen(...), $parts)) <= self::LONGEST;
        $this->shared->set(self::slot($number), [$number, $isShort ? $parts : null], self::KEPT);

        return $number; // without its slot, hosts treat everything as changed
    }

    /** @return int|null the number of the newest change; null if the shared tier does not answer */
    public function head(): ?int
    {
        $head = $this->shared->get(ReservedKey::changes());
        if (!\is_int($head)) {
            $head = $this->shared->increment(ReservedKey::changes(), 1, self::first());
        }

        return $head === false ? $this->replaced() : $head;
    }

    /** @return array<int, list<string>>|null parts by number, after $seen up to $head; null if one is missing */
    public function between(int $seen, int $head): ?array
    {
        if ($head < $seen || $head - $seen > self::SLOTS) {
            return null;
        }
        $changes = [];
        $missing = $head === $seen ? [] : range($seen + 1, $head);
        foreach (self::PAUSES as $pause) {
            if ($missing === []) {
                break;
            }
            Functions::sleep($pause);
            $slots = $this->shared->getMany(array_map(self::slot(...), $missing));
            foreach ($missing as $i => $number) {
                $change = $slots[self::slot($number)];
                if (\is_array($change) && ($change[0] ?? null) === $number) {
                    $parts = $change[1] ?? null;
                    $names = \is_array($parts) ? array_values(array_filter($parts, is_string(...))) : null;
                    if (!\is_array($parts) || $names === null || \count($names) !== \count($parts)) {
                        return null; // another program has written it
                    }
                    $changes[$number] = $names;
                    unset($missing[$i]);
                }
            }
            $missing = array_values($missing);
        }
        ksort($changes);

        return $missing === [] ? $changes : null;
    }

    /** @return int|null the number of a change of everything */
    public function beginAgain(): ?int
    {
        $number = self::first();

        return $this->shared->set(ReservedKey::changes(), $number) ? $number : null;
    }

    /**
     * Begins again if another program has replaced the number, which would hide all changes.
     *
     * @return int|null null if the number is intact, or the shared tier refuses
     */
    private function replaced(): ?int
    {
        $there = $this->shared->get(ReservedKey::changes());

        return \is_int($there) && $there < \PHP_INT_MAX ? null : $this->beginAgain();
    }

    private static function first(): int
    {
        return (int) (1e6 * microtime(true));
    }

    private static function slot(int $number): string
    {
        return ReservedKey::change($number % self::SLOTS);
    }
}
