<?php

declare(strict_types=1);

namespace Larder\WordPress\ObjectCache;

use Larder\WordPress\Backend;

/**
 * The groups "options" and "site-options", in which no old value survives.
 *
 * Core reads an option from the database, and adds it to the cache; it writes the database, and then what it believes
 * to be true into the cache. With many processes that leaves old values for good: a writer dies between the two, or
 * two writers do the second step in the other order, or each writes the whole list "alloptions" with the other's old
 * value in it, or a reader that was slow adds what it read before the write. Here instead
 *
 *     the shared memory has only what a reader has read from the database while no writer was at it.
 *
 * All options of a blog have one integer, the state: [milliseconds: 42 bits][era: 10][open writers: 11]. Each change of
 * it is one compare-and-swap, and sets milliseconds to the clock, or to one more if that is not later: so no state
 * comes back, not even after an eviction.
 *
 * - begin, before the SQL that writes (the filter "query" of wpdb runs right before each statement; the actions
 *   update_option, add_option and delete_option are for a wpdb without it): one more open writer. This is the mark.
 * - end, after it (updated_option and its like; the next statement; the end of the request): one less.
 * - A value is stored as [state, until, value], and is a miss for all who do not find the same state.
 * - A reader notes the state when it misses, so before it asks the database. It stores what it read with that state,
 *   and only if that is still the state.
 * - A writer stores nothing. Its set() and delete() change what its own request knows.
 * - If the state has open writers, or has changed in the last ten seconds, what is stored lives for five seconds.
 *
 * Why that is enough:
 *
 * - Reader, no writer: its value is that of the database, until the next begin.
 * - Reader between begin and SQL: stores the old value with the state after begin, which the end changes. So nobody
 *   gets it after the writer's call has returned.
 * - Reader that read before begin, or before end, and stores after: the state is another, so it stores nothing; if the
 *   state changes between its look and its store, nobody finds the value, as it bears the older state.
 * - Two writers at once, of one option or of two: both only change the state. After the first end there is still one
 *   open, and after the last end the next reader reads both from the database.
 * - Writer killed before begin: nothing happened. Between begin and SQL, or SQL and end: the writer stays open, so
 *   values live for five seconds, also those that were read just before the SQL took effect. That is the case too if
 *   the database executes the statement long after its client died. Nobody has to find out who is dead. Each begin
 *   more than an hour after the last change clears the open writers, by another era: a writer of an older era that
 *   ends after all changes the state, but no longer the count.
 * - Writer killed after end: nothing is left to do.
 * - A transaction: the end waits for the statement after COMMIT, and a reader that is in one stores nothing, as it may
 *   see an older database. SET autocommit = 0 begins one that goes on after its COMMIT.
 * - The state is evicted: the next process makes one with the present time, so nothing that was stored is found. An
 *   open writer is no longer counted then, but for ten seconds nothing lives longer than five; its end changes the
 *   state once more.
 * - A database that answers from a replica may be ten seconds late, for the same reason.
 * - The store cannot be reached at begin or end: see Epoch.
 *
 * A process that has read an option keeps it until its end, or wp_cache_flush_runtime(), as with core's own cache.
 */
final class Options
{
    /** Seconds for which a value lives that was stored while a writer may have been at it. */
    public const BRIEF = 5;
    private const QUIET_MS = 10_000;
    private const DEAD_MS = 3_600_000;
    /** Names of options that do not exist: visitors can make some plugins ask for any. */
    private const MOST_ABSENT = 1000;
    private const KEPT_ABSENT = 500;

    private const OPEN = 0x7FF;
    private const ERAS = 0x3FF;
    private const ERA_BIT = 11;
    private const CLOCK_BIT = 21;
    private const TRIES = 1000;
    /** The first group is there if it is switched off. */
    private const AUTOCOMMIT = '/^\s*SET\s+(?:SESSION\s+|LOCAL\s+|@@(?:SESSION\.|LOCAL\.)?)?autocommit\s*:?='
        . '\s*(?:(0|OFF|FALSE)\b|1|ON|TRUE)/i';
    private const NETWORK = 'network';

    /** @var array<int|string, int|null> the state after begin, by blog; null if it could not be changed */
    private array $open = [];
    /** @var array<int|string, array<string, int>> the state when a value was read or missed, by blog and name */
    private array $seen = [];
    private bool $isInTransaction = false;
    /** Without autocommit: then another transaction follows each one. */
    private bool $isManual = false;
    /** From COMMIT or ROLLBACK to the next statement, which is the first to run after it. */
    private bool $isCommitted = false;
    private bool $isClosing = false;

    public function __construct(
        private readonly Backend $backend,
        private readonly Epoch $epoch,
        private readonly string $prefix,
    ) {
        add_filter('query', $this->beforeQuery(...), \PHP_INT_MAX);
        foreach (['update_option', 'add_option', 'delete_option'] as $action) {
            add_action($action, fn() => $this->begin($this->main(get_current_blog_id())), \PHP_INT_MAX, 0);
        }
        $ends = ['updated_option', 'added_option', 'deleted_option'];
        foreach ([...$ends, 'update_site_option', 'add_site_option', 'delete_site_option'] as $action) {
            add_action($action, $this->end(...), \PHP_INT_MIN, 0);
        }
    }

    public static function cover(string $group): bool
    {
        return $group === 'options' || $group === 'site-options';
    }

    /** @param int|string $key of one of the groups */
    public static function bounded(int|string $key, mixed $value): mixed
    {
        $isList = $key === 'notoptions' || (\is_string($key) && str_ends_with($key, ':notoptions'));

        return $isList && \is_array($value) && \count($value) > self::MOST_ABSENT
            ? \array_slice($value, -self::KEPT_ABSENT, null, true) : $value;
    }

    /**
     * @param array<array-key, string> $names
     * @param array<string, int> $generations of the names; where another one is stored, they were forgotten since, in a
     *        process that lives long
     * @return array<array-key, mixed> values by name, without misses
     */
    public function read(string $group, int $blog, array $names, array $generations): array
    {
        $of = $this->of($group, $blog);
        $stateName = $this->stateName($of);
        $stored = $this->backend->getMany([$stateName, ...array_keys($generations), ...array_values($names)]);
        $isForgotten = array_intersect_key($stored, $generations) !== $generations;
        $state = $stored[$stateName] ?? null;
        if (!\is_int($state)) {
            $state = $this->change($of, static fn(int $open): int => $open);
        }
        $found = [];
        foreach ($names as $name) {
            if ($state !== null) {
                $this->seen[$of][$name] = $state;
            }
            $entry = $isForgotten ? null : $stored[$name] ?? null;
            [$at, $until, $value] = (\is_array($entry) ? $entry : []) + [null, null, null];
            if ($at !== null && $at === $state && ($until === 0.0 || $until > microtime(true))) {
                $found[$name] = $value;
            }
        }

        return $found;
    }

    /** What a reader does after a miss; for everybody else it means that there is another value. */
    public function write(string $group, int $blog, string $name, mixed $value, int $ttl): void
    {
        $of = $this->of($group, $blog);
        if (\array_key_exists($of, $this->open) || $this->isInTransaction) {
            return;
        }
        $seen = $this->seen[$of][$name] ?? null;
        if ($seen === null) {
            $this->changed($group, $blog);
        } elseif ($this->backend->get($this->stateName($of)) === $seen) {
            $isBrief = ($seen & self::OPEN) !== 0
                || self::now() - ($seen >> self::CLOCK_BIT) < self::QUIET_MS
                || $this->epoch->isRecent();
            $ttl = $isBrief ? ($ttl === 0 ? self::BRIEF : min($ttl, self::BRIEF)) : $ttl;
            $this->backend->set($name, [$seen, $ttl === 0 ? 0.0 : microtime(true) + $ttl, $value], $ttl);
        }
    }

    /** Makes all values of the group a miss for others, unless the end of the present write does so. */
    public function changed(string $group, int $blog): void
    {
        $of = $this->of($group, $blog);
        if (!\array_key_exists($of, $this->open) && $this->change($of, static fn(int $open): int => $open) === null) {
            $this->epoch->change();
        }
    }

    public function isWriting(string $group, int $blog): bool
    {
        return $this->open !== [] && self::cover($group) && \array_key_exists($this->of($group, $blog), $this->open);
    }

    public function isInTransaction(): bool
    {
        return $this->isInTransaction;
    }

    public function forget(): void
    {
        $this->seen = [];
    }

    public function close(): void
    {
        $this->isInTransaction = false;
        $this->end();
    }

    /**
     * Sees each statement right before wpdb executes it, but for some SHOW that come in between.
     *
     * @template T
     * @param T $query
     * @return T
     */
    private function beforeQuery(mixed $query): mixed
    {
        if (!\is_string($query) || ($this->open === [] && strncasecmp($query, 'SEL', 3) === 0)) {
            return $query;
        }
        $verb = strtoupper(substr(ltrim($query, " \t\r\n("), 0, 4));
        if ($verb === 'SHOW') {
            return $query;
        }
        if ($verb === 'COMM' || ($verb === 'ROLL' && stripos($query, ' TO ') === false)) {
            $this->isInTransaction = $this->isManual;
            $this->isCommitted = true;

            return $query;
        }
        $isSetting = $verb === 'SET ' && preg_match(self::AUTOCOMMIT, $query, $off) === 1;
        $isManual = $isSetting ? isset($off[1]) : $this->isManual;
        $this->isInTransaction = $this->isInTransaction || $verb === 'STAR' || $verb === 'BEGI';
        $written = \in_array($verb, ['SELE', 'SET ', 'DESC', 'EXPL'], true) ? [] : $this->written($query);
        if ($this->isCommitted || $written === [] || array_diff_key($this->open, $written) !== []) {
            $this->end();
        }
        $this->isCommitted = false;
        if ($isManual !== $this->isManual) {
            $this->isManual = $this->isInTransaction = $isManual;
            $this->isCommitted = !$isManual;
        }
        foreach (array_keys($written) as $of) {
            $this->begin($of);
        }

        return $query;
    }

    /** @return array<int|string, true> the blogs whose options a statement names, and the network */
    private function written(string $query): array
    {
        $written = [];
        if (stripos($query, 'options') !== false) {
            /** @var \wpdb $wpdb */
            global $wpdb;
            $pattern = '/\b' . preg_quote($wpdb->base_prefix, '/') . '(?:(\d+)_)?options\b/i';
            preg_match_all($pattern, $query, $tables);
            foreach ($tables[1] as $blog) {
                $written[$this->main((int) $blog)] = true;
            }
        }
        if (stripos($query, 'sitemeta') !== false) {
            $written[self::NETWORK] = true;
        }

        return $written;
    }

    private function begin(int|string $of): void
    {
        if (\array_key_exists($of, $this->open)) {
            return;
        }
        if (!$this->isClosing) {
            $this->isClosing = true;
            register_shutdown_function($this->close(...)); // also where WordPress does not come to its own
        }
        $this->open[$of] = $this->change($of, static fn(int $open): int => min($open + 1, self::OPEN));
        if ($this->open[$of] === null) {
            $this->epoch->change();
        }
    }

    private function end(): void
    {
        if ($this->open === [] || ($this->isInTransaction && !$this->isCommitted)) {
            return;
        }
        $ending = $this->open;
        $this->open = [];
        foreach ($ending as $of => $began) {
            $era = $began === null ? null : self::era($began);
            $less = static fn(int $open, int $now): int => $now === $era ? max(0, $open - 1) : $open;
            if ($this->change($of, $less) === null || $began === null) {
                $this->epoch->change();
            }
        }
    }

    /**
     * @param \Closure(int, int): int $count receives the number of open writers and the era, and returns the number
     * @return int|null the new state; null if the store refused
     */
    private function change(int|string $of, \Closure $count): ?int
    {
        $name = $this->stateName($of);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $old = $this->backend->get($name);
            $old = \is_int($old) ? $old : null;
            $clock = $old === null ? 0 : $old >> self::CLOCK_BIT;
            $open = $old === null ? 0 : $old & self::OPEN;
            $isAbandoned = $old === null || ($open > 0 && self::now() - $clock > self::DEAD_MS);
            $era = $isAbandoned ? random_int(0, self::ERAS) : self::era($old);
            $open = $count($isAbandoned ? 0 : $open, $era);
            $new = (max(self::now(), $clock + 1) << self::CLOCK_BIT) | ($era << self::ERA_BIT) | $open;
            if ($old !== null) {
                if ($this->backend->swap($name, $old, $new)) {
                    return $new;
                }
            } else {
                $this->backend->add($name, $new);
                $stored = $this->backend->get($name);
                if ($stored === $new) {
                    return $new;
                }
                if ($stored === null) {
                    return null; // it keeps nothing
                }
            }
        }

        return null;
    }

    private static function era(int $state): int
    {
        return ($state >> self::ERA_BIT) & self::ERAS;
    }

    private static function now(): int
    {
        return (int) (microtime(true) * 1000);
    }

    private function stateName(int|string $of): string
    {
        return $this->prefix . 'options:' . $of;
    }

    private function of(string $group, int $blog): int|string
    {
        return $group === 'site-options' ? self::NETWORK : $this->main($blog);
    }

    /** The tables of the first blog have no number in their names. */
    private function main(int $blog): int
    {
        return $blog === 0 ? 1 : $blog;
    }
}
