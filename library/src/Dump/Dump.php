<?php

declare(strict_types=1);

namespace Larder\Dump;

use Larder\Exception\DumpFailed;
use Larder\Internal\Codec\Classes;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Engine\Engine;
use Larder\Internal\Driver\Engine\Names;
use Larder\Internal\Dump\DumpedEntry;
use Larder\Internal\Dump\DumpReader;
use Larder\Internal\Dump\DumpWriter;
use Larder\Internal\Process\Functions;
use LarderIterator;

/**
 * Carries the entries of the engine's segment over a restart, or an update of PHP, in a file.
 *
 * Values, ttls, namespaces and tags are carried over. These are not: locks, the right to compute a value, a tier's local
 * copies, what clear() has left in a namespace, what a value cost to compute, and for how long it may be returned after
 * its ttl. Other processes may use the cache during both calls; what they store while a dump is loaded stays.
 */
final class Dump
{
    /**
     * Writes all entries, the oldest first, so that the newest stay if all of them do not fit later.
     *
     * Marks no entry as used. A value whose class this process does not have, or may not create (larder.classes), is
     * skipped: load the application's classes first.
     *
     * @param string $file created with mode 0600; an old file is replaced once the new one is whole
     * @param string $prefix of the keys to dump, in all namespaces; "" for all
     * @param (\Closure(int, int): void)|null $progress called with the entries done, and all
     * @return array{entries: int, skipped: int, bytes: int} entries written, entries skipped, bytes of the file
     * @throws DumpFailed
     */
    public static function write(string $file, string $prefix = '', ?\Closure $progress = null): array
    {
        $info = self::info();
        $header = ['time' => microtime(true), 'php' => \PHP_VERSION, 'user' => $info['user'], 'segment' => $info['segment']];
        $writer = new DumpWriter($file, $header);
        $codec = new PhpCodec();
        $missing = new \stdClass();
        $names = self::names($prefix);
        $done = $written = $skipped = 0;
        foreach ($names as $name => $until) {
            $name = (string) $name;
            $value = \larder_peek($name, $missing);
            $bytes = $value === $missing ? null : self::encoded($codec, $name, $value);
            if ($bytes !== null) {
                $writer->add($name, $bytes, $until);
                ++$written;
            } elseif ($value !== $missing || \larder_exists($name)) {
                ++$skipped;
            }
            if ($progress !== null && ++$done % 1000 === 0) {
                $progress($done, \count($names));
            }
        }

        return ['entries' => $written, 'skipped' => $skipped, 'bytes' => $writer->finish()];
    }

    /**
     * Stores the entries of a dump, except those that have expired and those whose keys are there; then renames the file
     * to FILE.loaded, so that a later restart does not load it again. The file is verified as a whole first.
     *
     * It refuses a segment that is older than the dump: what was deleted there since then would come back.
     *
     * @param string $file that no other user can change; of this user or root
     * @param float $maxAge seconds since the dump was written
     * @param bool $intoOlder loads into an older segment, too
     * @param (\Closure(int, int): void)|null $progress called with the bytes done, and all
     * @return array{entries: int, there: int, expired: int, refused: int, skipped: int} entries stored; not stored, as
     *         the key is there; as they have expired; as the engine refused them; as their class is missing or not allowed
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
            throw new DumpFailed("$file is older than the cache, and would bring back what was deleted since. It is loaded "
                . 'into a cache that is empty after a restart or `larder resize`');
        }
        $counts = self::store($reader, $progress);
        if (!@rename($file, "$file.loaded")) {
            throw new DumpFailed("$file is loaded, and cannot be renamed to $file.loaded. Delete it, so that it is not loaded "
                . 'again');
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
     * @return array<int|string, float> unix times of the end, or 0.0, by names, the oldest first. The versions of namespaces
     *         and tags come before them: load() needs those before their entries, and whoever reads a value whose tag has no
     *         version computes it
     */
    private static function names(string $prefix): array
    {
        $all = Names::ofSegment();
        $versions = $tags = $names = $ages = [];
        /** @var array{age: int, ttl: float} $info */
        foreach (new LarderIterator() as $name => $info) {
            $key = $all->of($name);
            if ($key === Names::LIBRARY) {
                if (str_starts_with($name, Engine::NAMESPACE_VERSION)) {
                    $versions[$name] = 0.0;
                } elseif (Names::isTag($name)) {
                    $tags[$name] = 0.0;
                }
            } elseif ($key !== Names::CLEARED && ($prefix === '' || self::beginsWith($prefix, $key, $name))) {
                $ages[$name] = $info['age'];
                $names[$name] = $info['ttl'] === 0.0 ? 0.0 : microtime(true) + $info['ttl'];
            }
        }
        arsort($ages);

        return $versions + $tags + array_replace($ages, $names);
    }

    /** @param string $shown the name with its namespace in front */
    private static function beginsWith(string $prefix, string $shown, string $stored): bool
    {
        return str_starts_with($shown === $stored ? $stored : substr($shown, Names::lengthOfNamespace($shown, $stored)), $prefix);
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
            $value = $codec->decode($entry->bytes, $entry->name, $missing);
            if ($value === $missing) {
                $result = 'skipped';
            } elseif (str_starts_with($entry->name, Engine::NAMESPACE_VERSION) && \is_string($value)) {
                $result = \larder_add($entry->name, $value) ? 'entries' : 'there';
                $here = \larder_peek($entry->name);
                $versions[$value] = \is_string($here) ? $here : $value;
            } else {
                $result = self::put(self::renamed($entry->name, $versions), $value, $entry);
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

    /** @return array{int, string, string} where the version begins if it is a name of Engine::name(), it, and what follows it */
    private static function parts(string $name): array
    {
        $start = $name[0] === "\0" ? 1 : 0;

        return [$start, substr($name, $start, Engine::VERSION_BYTES), $name[$start + Engine::VERSION_BYTES] ?? ''];
    }

    /** @return 'entries'|'there'|'expired'|'refused' */
    private static function put(string $name, mixed $value, DumpedEntry $entry): string
    {
        $ttl = $entry->until === 0.0 ? 0.0 : $entry->until - microtime(true);

        return match (true) {
            $entry->until !== 0.0 && $ttl <= 0.0 => 'expired',
            \larder_add($name, $value, $ttl) => 'entries',
            \larder_last_error() === \LARDER_ERROR_NONE => 'there',
            default => 'refused',
        };
    }

    /** @return Classes|null those of larder.classes; null for all */
    private static function classes(): ?Classes
    {
        $allowed = trim((string) ini_get('larder.classes'));
        $names = array_values(array_filter(array_map(trim(...), explode(',', $allowed)), static fn(string $name): bool => $name !== ''));

        return match (true) {
            $allowed === '*' => null,
            $allowed === '' || $allowed === 'nothing' => Classes::none(),
            default => Classes::only(...$names),
        };
    }
}
