<?php

declare(strict_types=1);

namespace Larder\WordPress\ObjectCache;

use Larder\WordPress\Backend;

/**
 * The row larder_epoch of the options, "EPOCH TIME OWNER", for writers that could not reach the cache. The database is
 * what all of them reach.
 *
 * - OWNER names the one memory that is the cache of this site, since a value may be in one only, as changes of another
 *   would not be seen: the engine of one user and PHP, the APCu of one FPM, one Redis; and the names in it. The first
 *   web request takes it, and its like renew TIME each minute. After three minutes without, such as after an update of
 *   PHP, another web request takes over. All others use WordPress's own cache: see the drop-in. The command line never
 *   takes it, but shares it if it has the same memory.
 * - EPOCH is the time of the last write by a process without the cache. Processes with the cache look at the row every
 *   five seconds, one for all; if there is another epoch, they forget everything.
 * - The memory has EPOCH and TIME as well. If TIME is another, an older backup of the database or of the memory was
 *   restored, and they forget everything, too. A backup of the same minute is not noticed.
 *
 * Such a writer writes an epoch before its first statement, every ten seconds from then on, and at its end; in a
 * transaction right before COMMIT, so that it is seen together with what was written. So if it is killed, its last
 * statement came at most ten seconds after its last epoch; for a minute after an epoch, options live only briefly (see
 * Options), and a value read before that statement is gone five seconds later.
 */
final class Epoch
{
    public const OPTION = 'larder_epoch';
    private const LOOK = 5;
    private const RENEW = 60;
    private const TAKE = 180;
    private const RECENT = 60;

    private float $recentUntil = 0.0;
    private float $began;

    public function __construct(private readonly Backend $backend, private readonly string $prefix)
    {
        $this->began = microtime(true);
    }

    /** Whether this process may use the backend. Asks the database every five seconds. */
    public function isShared(): bool
    {
        return $this->isFresh($this->backend->get($this->prefix . 'epoch')) || $this->look();
    }

    /** Whether another memory has become the cache while this process lives, which takes more than a minute. */
    public function isLost(): bool
    {
        return microtime(true) - $this->began > self::RENEW && !$this->isShared();
    }

    private function isFresh(mixed $known): bool
    {
        [, $until, $recentUntil] = (\is_array($known) ? $known : []) + [null, 0.0, null];
        $left = \is_float($until) ? $until - microtime(true) : 0.0;
        $this->recentUntil = \is_float($recentUntil) ? $recentUntil : $this->recentUntil;

        return $left > 0.0 && $left <= self::LOOK; // more: the clock went back
    }

    /** Whether a writer without the cache may be at it, also if another process has seen it meanwhile. */
    public function isRecent(): bool
    {
        $this->isFresh($this->backend->get($this->prefix . 'epoch'));

        return $this->recentUntil > microtime(true);
    }

    /** For a process that had the cache and cannot reach it: a new epoch. */
    public function change(): void
    {
        $this->execute(
            "UPDATE %table% SET option_value = CONCAT(%s, SUBSTRING(option_value, LOCATE(' ', option_value)))"
                . ' WHERE option_name = %s',
            self::time(),
            self::OPTION,
        );
    }

    private function look(): bool
    {
        /** @var \wpdb|null $wpdb */
        global $wpdb;
        if (!isset($wpdb)) {
            return true; // an advanced-cache.php is early: the next request looks
        }
        $stored = $this->backend->getMany([$this->prefix . 'time', $this->prefix . 'epoch']);
        $known = $stored[$this->prefix . 'epoch'] ?? null;
        if ($this->isFresh($known)) {
            return true; // else 'time', which was read before, is that of the row or of the one before: see renew()
        }
        $row = $this->row();
        if ($row === null) {
            return false;
        }
        $now = microtime(true);
        $me = hash('xxh3', $this->prefix . $this->backend->identity());
        [$epoch, $time, $owner] = explode(' ', $row, 3) + ['0', '0', ''];
        $epoch = $epoch === '' ? self::time() : $epoch; // a writer without the cache had no row to write to
        $time = (int) $time;
        $isOwner = $owner === $me;
        $isAhead = $time > $now + self::RENEW; // the clock went back
        if (!$isOwner && (\PHP_SAPI === 'cli' || ($time > $now - self::TAKE && !$isAhead))) {
            return false;
        }
        $isSameTime = $time === ($stored[$this->prefix . 'time'] ?? null)
            || $time === $this->backend->get($this->prefix . 'time');
        $isSame = $isOwner && $isSameTime && \is_array($known) && $epoch === ($known[0] ?? null);
        if (!$isSame && !$this->backend->clear($this->prefix . 'generation')) {
            return false;
        }
        if (!$isOwner) {
            [$time, $isAhead] = [(int) $now, false];
            $this->replace($row, "$epoch $time $me");
            if (!str_ends_with((string) $this->row(), " $me")) {
                return false; // another process was first
            }
        }
        $this->recentUntil = (float) $epoch + self::RECENT;
        $isStored = ($isOwner && $isSameTime || $this->backend->set($this->prefix . 'time', $time))
            && $this->backend->set($this->prefix . 'epoch', [$epoch, $now + self::LOOK, $this->recentUntil])
            && $this->backend->get($this->prefix . 'epoch') !== null;
        if ($isStored && ($isAhead || $time < $now - self::RENEW)) {
            $this->renew($row, $time, \sprintf('%s %d %s', $epoch, $now, $me));
        }

        return $isStored;
    }

    /**
     * One process does so, after it has stored when to look next, so that few others look meanwhile. They find the
     * older TIME in the memory, or the older one in the row, but not both.
     */
    private function renew(string $row, int $old, string $new): void
    {
        if ($this->backend->swap($this->prefix . 'time', $old, (int) explode(' ', $new)[1])) {
            $this->replace($row, $new);
        }
    }

    /** @return string|null '' if there is none, null if there is no such table, as before the installation */
    private function row(): ?string
    {
        /** @var \wpdb $wpdb */
        global $wpdb;
        $shown = $wpdb->suppress_errors();
        $table = $wpdb->base_prefix . 'options';
        $row = $wpdb->get_var("SELECT option_value FROM $table WHERE option_name = '" . self::OPTION . "'");
        $wpdb->suppress_errors($shown);

        return $wpdb->last_error === '' ? $row ?? '' : null;
    }

    private function replace(string $old, string $new): void
    {
        if ($old === '') {
            $insert = "INSERT IGNORE INTO %table% (option_name, option_value, autoload) VALUES (%s, %s, 'no')";
            $this->execute($insert, self::OPTION, $new);
        } else {
            $update = 'UPDATE %table% SET option_value = %s WHERE option_name = %s AND option_value = %s';
            $this->execute($update, $new, self::OPTION, $old);
        }
    }

    /** Uses the connection of wpdb itself, as wpdb may be in the middle of a statement, of which it keeps a state. */
    private function execute(string $sql, string ...$values): void
    {
        /** @var \wpdb $wpdb */
        global $wpdb;
        $quoted = array_map(static fn(string $value): string => "'" . addslashes($value) . "'", $values);
        $sql = \sprintf(str_replace('%table%', $wpdb->base_prefix . 'options', $sql), ...$quoted);
        $connection = $wpdb::class === \wpdb::class ? $wpdb->__get('dbh') : null;
        if ($connection instanceof \mysqli) {
            mysqli_query($connection, $sql);
        } else {
            $shown = $wpdb->suppress_errors();
            $wpdb->query($sql);
            $wpdb->suppress_errors($shown);
        }
    }

    private static function time(): string
    {
        return \sprintf('%.6F', microtime(true));
    }
}
