<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Internal\Lock\LockOwner;
use Larder\Process\Pid;

/**
 * The mark of a value that is being computed, which names the process that computes. Every get() treats it as a miss:
 *
 *     ["\0larder" => [-1.0, 0.0, [], token, failed, process, lease, renewals, isTimed, begun, owner…], 0 => null]
 *
 * The token stays if another process takes over, so that the first of both to end stores its value. The numbers are
 * integers because opcache keeps each new string of a php-file.
 */
final class Placeholder
{
    /** Bytes that it may have in any store, signed and encoded. */
    public const LONGEST = 511;
    /** Seconds that it is kept at least. A longer computation is not stored, unless its lease is longer. */
    private const KEPT = 3600.0;
    /** Seconds to wait for a living process. Not forever: a worker goes on after a request died. */
    private const PATIENCE = 900.0;

    /** @var array{int, int}|null the process that drew number(), and that number */
    private static ?array $number = null;

    /**
     * @param int $token random, not 0
     * @param int $failed token of the placeholder before, whose computation stored nothing; 0 for none
     * @param int $process number() of the process that computes; 0 if none does any more
     * @param float $lease seconds after which another process may take over if it cannot see whether the owner lives
     * @param int $renewals number of renewals of the lease
     * @param bool $isTimed true if the lease also ends while the owner lives
     * @param int $begun unix time in milliseconds of the lease or its last renewal
     * @param array{int, int, int}|null $owner as LockOwner::isAlive() takes it; null if others cannot see it
     */
    private function __construct(
        public readonly int $token,
        public readonly int $failed,
        public readonly int $process,
        private readonly float $lease,
        private readonly int $renewals,
        private readonly bool $isTimed,
        private readonly int $begun,
        private readonly ?array $owner,
    ) {}

    /**
     * @param bool $isLocal true if all users of the store are on this machine, so they see whether this process lives
     * @param bool $isTimed true if the lease must end while this process lives, as it may not release it
     */
    public static function ofThisProcess(float $lease, bool $isLocal, bool $isTimed = false): self
    {
        $owner = $isLocal ? LockOwner::identity() : null;

        return new self(StoredValue::newToken(), 0, self::number(), $lease, 0, $isTimed, self::now(), $owner);
    }

    /** @return self|null null for anything else */
    public static function of(mixed $stored): ?self
    {
        $about = self::about($stored);
        if ($about === null) {
            return null;
        }
        $fields = \array_slice($about, 3) + [0, 0, 0, 0, 0, 0, 0];
        $lease = $fields[3];
        unset($fields[3]);
        if (!(\is_float($lease) || \is_int($lease)) || array_filter($fields, is_int(...)) !== $fields) {
            return null;
        }

        /** @var array<int, int> $fields */
        [0 => $token, 1 => $failed, 2 => $process, 4 => $renewals, 5 => $isTimed, 6 => $begun] = $fields;
        $owner = isset($fields[9]) ? [$fields[7], $fields[8], $fields[9]] : null;

        return new self($token, $failed, $process, (float) $lease, $renewals, $isTimed === 1, $begun, $owner);
    }

    /** @return array<array-key, mixed>|null the fields of its form, unchecked; null for anything else */
    private static function about(mixed $stored): ?array
    {
        $about = \is_array($stored) ? $stored[StoredValue::MARK] ?? null : null;
        $mark = \is_array($about) ? $about[0] ?? null : null;

        // Some serializers make integers of whole floats.
        return \is_array($about) && ($mark === StoredValue::NEVER_FRESH || $mark === (int) StoredValue::NEVER_FRESH)
            ? $about
            : null;
    }

    /** @return array<array-key, mixed> the form that a store keeps */
    public function stored(): array
    {
        $lease = [$this->lease, $this->renewals, (int) $this->isTimed, $this->begun];
        $about = [$this->token, $this->failed, $this->process, ...$lease, ...$this->owner ?? []];

        return [StoredValue::MARK => [StoredValue::NEVER_FRESH, 0.0, [], ...$about], 0 => null];
    }

    /** The same with the process, lease and owner of another. */
    public function takenOverBy(self $other): self
    {
        return $this->with($other->process, $other->lease, 0, $other->isTimed, $other->begun, $other->owner);
    }

    /** @param float $lease seconds from now on */
    public function renewed(float $lease): self
    {
        return $this->with($this->process, $lease, $this->renewals + 1, $this->isTimed, self::now(), $this->owner);
    }

    /** @param array{int, int, int}|null $owner */
    private function with(int $process, float $lease, int $renewals, bool $isTimed, int $begun, ?array $owner): self
    {
        return new self($this->token, $this->failed, $process, $lease, $renewals, $isTimed, $begun, $owner);
    }

    /** Its successor if its computation stored nothing. */
    public function failure(): self
    {
        return new self(StoredValue::newToken(), $this->token, 0, 0.0, 0, true, 0, null);
    }

    public function isOfThisProcess(): bool
    {
        return $this->process !== 0 && $this->process === self::number();
    }

    /** True if no process has stored, deleted, failed, taken over or renewed since. */
    public function isSame(mixed $stored): bool
    {
        $about = self::about($stored);

        return $about !== null && ($about[3] ?? 0) === $this->token
            && ($about[5] ?? 0) === $this->process && ($about[7] ?? 0) === $this->renewals;
    }

    /** True if no process has stored or deleted since, so a value computed under it may be stored. */
    public function isStill(mixed $stored): bool
    {
        $about = self::about($stored);

        return $about !== null && \in_array($this->token, [$about[3] ?? 0, $about[4] ?? 0], true);
    }

    /** @param float $seen seconds for which the caller has seen it unchanged, by its own clock */
    public function isOver(float $seen): bool
    {
        $isAlive = $this->process === 0 || $this->owner === null ? null : LockOwner::isAlive(...$this->owner);

        return match (true) {
            $this->process === 0, $isAlive === false => true,
            $isAlive === true && !$this->isTimed => $seen >= max($this->lease, self::PATIENCE),
            default => $seen >= $this->lease,
        };
    }

    /** @return float seconds since the lease began, by the machine's clock: only if all users of the store have that */
    public function age(): float
    {
        return max(0.0, (self::now() - $this->begun) / 1000);
    }

    /** @return float seconds that one in the place of a value is kept */
    public function secondsOfValue(): float
    {
        return max(self::KEPT, $this->lease);
    }

    /** @return float seconds after which one next to a value may be gone */
    public function secondsOfLease(): float
    {
        return $this->owner === null || $this->isTimed ? $this->lease : $this->lease + self::PATIENCE;
    }

    /**
     * @return int random, as machines from one image have equal process ids; unique to this process (or thread, or
     *         request)
     */
    public static function number(): int
    {
        $process = Pid::own();
        if (self::$number === null || self::$number[0] !== $process) {
            self::$number = [$process, random_int(1, \PHP_INT_MAX)];
        }

        return self::$number[1];
    }

    private static function now(): int
    {
        return (int) (1000 * microtime(true));
    }
}
