<?php

declare(strict_types=1);

namespace Larder\Dump;

use Larder\Exception\DumpFailed;
use Larder\Internal\Codec\Classes;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Engine\Engine;
use Larder\Internal\Driver\Engine\Names;
use Larder\Internal\Dump\DumpReader;
use Larder\Internal\Dump\DumpWriter;
use Larder\Internal\Process\Functions;
use LarderIterator;

/**
 * Carries the entries of the engine's segment over a restart, or an update of PHP, in a file.
 *
 * Values, ttls, namespaces and tags are carried over, and what a value cost to compute, and for how long it may be
 * returned after its ttl. These are not: values that are dumped after their ttl, locks, the right to compute a value, a
 * tier's local copies, and what clear() has left in a namespace. Other processes may use the cache during both calls;
 * what they store while a dump is loaded stays.
 */
final class Dump
{
    /** Seconds: the shortest ttl. */
    private const STALE_AT_ONCE = 0.001;

    /**
     * Writes all entries, the oldest first, so that the newest stay if all of them do not fit later.
     *
     * Marks no entry as used. A value whose class this process does not have, or may not create (larder.classes), is
     * skipped: load the application's classes first.
     *
     * @param string $file created with mode 0600; an old file is replaced once the new one is whole, and stays if there
     *        is nothing to dump
     * @param string $prefix of the keys to dump, in all namespaces; "" for all
     * @param (\Closure(int, int): void)|null $progress called with the entries done, and all
     * @return array{entries: int, skipped: int, bytes: int} entries written, entries skipped, bytes of the file
     * @throws DumpFailed
     */
    public static function write(string $file, string $prefix = '', ?\Closure $progress = null): array
    {
        $info = self::info();
        $writer = new DumpWriter($file, [
            'time' => microtime(true),
            'php' => \PHP_VERSION,
            'user' => $info['user'],
            'segment' => $info['segment'],
        ]);
        $codec = new PhpCodec();
        $missing = new \stdClass();
        [$groups, $all] = self::names($prefix);
        $versions = \count($groups[0]) + \count($groups[1]);
        $done = $written = $skipped = 0;
        foreach ($groups as $group) {
            foreach ($group as $name => $times) {
                $name = (string) $name;
                $value = \larder_peek($name, $missing);
                $isString = \is_string($value);
                $bytes = $isString ? $value : ($value === $missing ? null : self::encoded($codec, $name, $value));
                if ($bytes !== null) {
                    \is_float($times) ? $writer->add($name, $bytes, $isString, $times)
                        : $writer->add($name, $bytes, $isString, ...$times);
                    ++$written;
                } elseif ($value !== $missing || \larder_exists($name)) {
                    ++$skipped;
                }
                if ($progress !== null && ++$done % 1000 === 0) {
                    $progress($done, $all);
                }
            }
        }

        if ($written <= $versions) {
            throw new DumpFailed(\sprintf(
                '%s in segment %s of user %d, so %s stays as it was. %s',
                $prefix === '' ? 'There are no entries' : "No entries begin with \"$prefix\"",
                $info['segment'],
                $info['user'],
                $file,
                $skipped > 0 ? "$skipped were skipped: load the application's classes first (--autoload)"
                    : 'Dump as the user whose cache it is: --user',
            ));
        }

        return ['entries' => $written, 'skipped' => $skipped, 'bytes' => $writer->finish()];
    }

    /**
     * Stores the entries of a dump, except those that have expired and those whose keys are there; then renames the
     * file to FILE.loaded, so that a later restart does not load it again. The file is verified as a whole first.
     *
     * It refuses a segment that is older than the dump: what was deleted there since then would come back.
     *
     * @param string $file that no other user can change; of this user or root
     * @param float $maxAge seconds since the dump was written
     * @param bool $intoOlder loads into an older segment, too
     * @param (\Closure(int, int): void)|null $progress called with the bytes done, and all
     * @return array{entries: int, there: int, expired: int, refused: int, skipped: int} entries stored; not stored,
     *         as the key is there; as they have expired; as the engine refused them; as their class is missing or not
     *         allowed
     * @throws DumpFailed
     */
    public static function load(
        string $file,
        float $maxAge = 3600.0,
        bool $intoOlder = false,
        ?\Closure $progress = null,
    ): array {
        $info = self::info();
        $reader = new DumpReader($file);
        $age = microtime(true) - $reader->time;
        if ($age > $maxAge) {
            $why = \sprintf('was written %.0f s ago, and may be %.0f s old at most', $age, $maxAge);

            throw new DumpFailed("$file $why. Values may have changed since then; allow it by a greater age");
        }
        if (!$intoOlder && $info['path'] !== '' && $info['age'] > $age) {
            throw new DumpFailed("$file is older than the cache, and would bring back what was deleted since. It is "
                . 'loaded into a cache made after it, by a restart or `larder resize SIZE`; or with --into-older');
        }
        $counts = self::store($reader, $progress);
        if (!@rename($file, "$file.loaded")) {
            throw new DumpFailed("$file is loaded, and cannot be renamed to $file.loaded. Delete it, so that it is not "
                . 'loaded again');
        }

        return $counts;
    }

    /**
     * @return array{user: int, segment: string, path: string, age: float} of larder_info()
     * @throws DumpFailed
     */
    private static function info(): array
    {
        Engine::check('');
        $missing = Functions::firstMissing(Functions::DUMP);
        if ($missing !== '') {
            throw new DumpFailed("PHP has no function $missing() here. Remove it from disable_functions in php.ini");
        }
        /** @var array{available: bool, reason: string, user: int, segment: string, path: string, age: float} $info */
        $info = \larder_info(false);

        return $info['available'] ? $info : throw new DumpFailed('No cache is available: ' . $info['reason']);
    }

    /**
     * @return array{list<array<array-key, float|array{float, float, float}>>, int} groups of unix times of the end, or
     *         0.0, by names, the oldest first; with the seconds of staleness and the cost, if there are any; and the
     *         number of all. The versions of namespaces and tags come before them: load() needs those before their
     *         entries, and whoever reads a value whose tag has no version computes it
     */
    private static function names(string $prefix): array
    {
        $names = Names::ofSegment();
        $versions = $tags = $byAge = [];
        $all = 0;
        /** @var array{age: int, ttl: float, stale?: float, cost?: float} $info */
        foreach (new LarderIterator() as $name => $info) {
            $key = $names->of($name);
            if ($key === Names::LIBRARY) {
                if (str_starts_with($name, Engine::NAMESPACE_VERSION)) {
                    $versions[$name] = 0.0;
                } elseif (Names::isTag($name)) {
                    $tags[$name] = 0.0;
                }
            } elseif ($key !== Names::CLEARED && ($prefix === '' || self::beginsWith($prefix, $key, $name))) {
                $until = $info['ttl'] === 0.0 ? 0.0 : \microtime(true) + $info['ttl'];
                $byAge[$info['age']][$name] = isset($info['stale'], $info['cost'])
                    ? [$until, $info['stale'], $info['cost']] : $until;
                ++$all;
            }
        }
        krsort($byAge);

        return [[$versions, $tags, ...array_values($byAge)], \count($versions) + \count($tags) + $all];
    }

    /** @param string $shown the name with its namespace in front */
    private static function beginsWith(string $prefix, string $shown, string $stored): bool
    {
        $name = $shown === $stored ? $stored : substr($shown, Names::lengthOfNamespace($shown, $stored));

        return str_starts_with($name, $prefix);
    }

    /** @return string|null null if the value's own code refuses */
    private static function encoded(PhpCodec $codec, string $name, mixed $value): ?string
    {
        try {
            return $codec->encode($value, $name);
        } catch (\Throwable) {
            return null;
        }
    }

    /**
     * @param (\Closure(int, int): void)|null $progress
     * @return array{entries: int, there: int, expired: int, refused: int, skipped: int}
     */
    private static function store(DumpReader $reader, ?\Closure $progress): array
    {
        $counts = ['entries' => 0, 'there' => 0, 'expired' => 0, 'refused' => 0, 'skipped' => 0];
        $codec = new PhpCodec(self::classes());
        $versions = [];
        $missing = new \stdClass();
        $done = 0;
        foreach ($reader->entries() as $position => $entry) {
            ['name' => $name, 'value' => $value, 'until' => $until, 'stale' => $stale, 'cost' => $cost] = $entry;
            if ($entry['string'] !== 1) {
                $value = $codec->decode($value, $name, $missing);
            }
            if ($value === $missing) {
                $result = 'skipped';
            } elseif ($name[0] === "\0" && str_starts_with($name, Engine::NAMESPACE_VERSION) && \is_string($value)) {
                $result = \larder_add($name, $value) ? 'entries' : 'there';
                $here = \larder_peek($name);
                $versions[$value] = \is_string($here) ? $here : $value;
            } else {
                $name = $versions === [] ? $name : self::renamed($name, $versions);
                $result = self::put($name, $value, $until, $stale, $cost);
            }
            ++$counts[$result];
            if ($progress !== null && ++$done % 1000 === 0) {
                $progress($position, $reader->size);
            }
        }

        return $counts;
    }

    /**
     * A namespace that was used since the restart has another version.
     *
     * @param array<string, string> $versions today's, by those of the dump
     */
    private static function renamed(string $name, array $versions): string
    {
        [$start, $version, $mark] = self::parts($name);

        return ($mark === '=' || $mark === '#') && isset($versions[$version])
            ? substr_replace($name, $versions[$version], $start, \strlen($version)) : $name;
    }

    /** @return array{int, string, string} if it is a name of Engine::name(): where the version begins, it, and the rest */
    private static function parts(string $name): array
    {
        $start = $name[0] === "\0" ? 1 : 0;

        return [$start, substr($name, $start, Engine::VERSION_BYTES), $name[$start + Engine::VERSION_BYTES] ?? ''];
    }

    /** @return 'entries'|'there'|'expired'|'refused' */
    private static function put(string $name, mixed $value, float $until, float $stale, float $cost): string
    {
        if ($until === 0.0) {
            $isStored = \larder_add($name, $value);
        } else {
            $ttl = $until - \microtime(true);
            if ($ttl + $stale <= 0.0) {
                return 'expired';
            }
            $isStored = $stale + $cost > 0.0 ? self::keep($name, $value, $ttl, $stale, $cost)
                : \larder_add($name, $value, $ttl);
        }

        return match (true) {
            $isStored => 'entries',
            \larder_last_error() === \LARDER_ERROR_NONE => 'there',
            default => 'refused',
        };
    }

    /** As larder_add(), which takes no more than a ttl: a claim shows whether there is a value, a stale one too. */
    private static function keep(string $name, mixed $value, float $ttl, float $stale, float $cost): bool
    {
        $claim = \larder_claim($name, $token);
        $isStored = $claim === \LARDER_CLAIM_MISSING && $token !== null && ($ttl > 0.0
            ? \larder_store_cas($name, $value, $token, $ttl, $stale, $cost)
            : \larder_store_cas($name, $value, $token, self::STALE_AT_ONCE, $ttl + $stale, $cost));
        if ($claim !== \LARDER_CLAIM_OTHER) {
            \larder_unclaim($name);
        }

        return $isStored;
    }

    /** @return Classes|null those of larder.classes; null for all */
    private static function classes(): ?Classes
    {
        $allowed = trim((string) ini_get('larder.classes'));
        $names = array_map(trim(...), explode(',', $allowed));
        $names = array_values(array_filter($names, static fn(string $name): bool => $name !== ''));

        return match (true) {
            $allowed === '*' => null,
            $allowed === '' || $allowed === 'nothing' => Classes::none(),
            default => Classes::only(...$names),
        };
    }
}
