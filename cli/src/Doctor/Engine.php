<?php

declare(strict_types=1);

namespace Larder\Cli\Doctor;

use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\Prediction;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\System\Php;
use Larder\Internal\Driver\Engine\Segments;
use Symfony\Component\Console\Helper\Helper;

/** Sentences about the engine's state, from larder_info(). */
final class Engine
{
    /** @return Health|null null if there is no segment to judge */
    public static function health(): ?Health
    {
        $info = \extension_loaded('larder') ? larder_info(false) : [];
        if (($info['path'] ?? '') === '') {
            return null;
        }
        $now = Counters::read();

        return Health::ofSegment($now, static fn(): array => Prefixes::all()[0], Prediction::read());
    }

    /** @return list<string> lines */
    public static function lines(?Health $health): array
    {
        if (!\extension_loaded('larder')) {
            return ['not loaded; see larder below'];
        }
        /** @var array{available: bool, reason: string, version: string, segment: string, path?: string} $info */
        $info = larder_info();
        $engine = getenv(Php::ENGINE_VARIABLE);
        $loaded = $engine === false
            ? []
            : [\sprintf('Loaded by this command only. For every PHP: sudo make -C %s install', \dirname($engine, 3))];

        return [
            \sprintf(
                '%s, version %s, segment %s',
                $info['available'] ? 'available' : 'not available',
                $info['version'],
                $info['segment'],
            ),
            ...($info['reason'] === '' ? [] : [$info['reason']]),
            ...($info['available'] ? self::segment($health) : []),
            ...self::ofOtherVersions($info['segment'], $info['path'] ?? ''),
            ...self::empty(),
            ...self::others(),
            ...self::blocked((string) ini_get('larder.path')),
            ...$loaded,
        ];
    }

    /** @return list<string> */
    private static function ofOtherVersions(string $segment, string $path): array
    {
        $committed = Segments::ofOtherVersions($segment, $path);

        return $committed === 0 ? [] : [
            \sprintf(
                'segment %s of another version of PHP or Larder: %s committed, which this one cannot read',
                $segment,
                Helper::formatMemory($committed),
            ),
            'To keep what is in it: larder dump FILE with that version, before it is removed, and larder load FILE with this one',
        ];
    }

    /**
     * Settings that PHP's ini scanner emptied. For a boolean setting, empty is a usual form of off.
     *
     * @return list<string>
     */
    private static function empty(): array
    {
        $empty = array_filter(
            array_keys((array) ini_get_all('larder', false)),
            static fn(string $name): bool => get_cfg_var($name) === '',
        );

        return array_map(static fn(string $name): string => \sprintf(
            '%s is set but empty: %s. PHP reads the words none, null, no and off as empty, except in quotes',
            $name,
            match ($name) {
                'larder.classes'
                    => 'every object is a miss. Set it to nothing if that is meant, else to * or to the classes',
                'larder.path', 'larder.segment' => 'no cache is available. Remove it or give it a value',
                default => 'the default applies. Remove it or give it a value',
            },
        ), array_values(array_diff($empty, ['larder.enabled', 'larder.compact', 'larder.zero_copy'])));
    }

    /**
     * Facts about the caches of other users, which only root can read.
     *
     * @return list<string>
     */
    private static function others(): array
    {
        $own = posix_geteuid();
        $lines = [];
        foreach ($own === 0 ? Segments::all() : [] as $user => $segments) {
            $texts = array_map(static fn(string $name, array $segment): string => \sprintf(
                '%s (%s, %s committed)',
                $name,
                Helper::formatMemory($segment['size']),
                Helper::formatMemory($segment['committed']),
            ), array_keys($segments), $segments);
            if ($user !== $own && $texts !== []) {
                $lines[] = \sprintf('segments of %s: %s', self::name($user), implode(', ', $texts));
            }
        }

        return $lines;
    }

    /**
     * Users without a cache, because another user created their folder. For this process's own user, the engine reports
     * it.
     *
     * @return list<string>
     */
    private static function blocked(string $path): array
    {
        $lines = [];
        $folders = glob("$path/larder-*");
        foreach ($folders === false ? [] : $folders as $folder) {
            $user = substr($folder, \strlen("$path/larder-"));
            $status = ctype_digit($user) ? @lstat($folder) : false;
            $above = @lstat("$path/larder");
            $provided = $above !== false && self::isRoots($above) ? @lstat("$path/larder/$user") : false;
            if (
                $status !== false
                && $status['uid'] !== (int) $user
                && ($provided === false || $provided['uid'] !== (int) $user)
            ) {
                $make = match (true) {
                    $above === false => 'mkdir -m 755 larder && ',
                    self::isRoots($above) => '',
                    default => 'rm -rf larder && mkdir -m 755 larder && ',
                };
                $lines[] = \sprintf(
                    '%s belongs to user %d, so %s has no cache',
                    $folder,
                    $status['uid'],
                    self::name((int) $user),
                );
                $lines[] = "Repair it, as root: cd $path && {$make}install -d -m 700 -o $user larder/$user";
            }
        }

        return $lines === [] ? [] : [...$lines, 'To keep it repaired after a reboot: docs/operate.md'];
    }

    /**
     * True if only root can change this folder. In any other folder, a user may have planted links for a command of
     * root.
     *
     * @param int[] $status of lstat()
     */
    private static function isRoots(array $status): bool
    {
        return ($status['mode'] & 0o170000) === 0o040000 && $status['uid'] === 0 && ($status['mode'] & 0o022) === 0;
    }

    private static function name(int $user): string
    {
        $entry = \function_exists('posix_getpwuid') ? posix_getpwuid($user) : false;

        return $entry === false ? "user $user" : "user $user ({$entry['name']})";
    }

    /** @return list<string> */
    private static function segment(?Health $health): array
    {
        /**
         * @var array{
         *     path: string, size: int, size_asked: int, memory: array{committed: int}, settings: array<string, mixed>,
         *     zero_copy: bool, entries: int, oldest: float, deletes: int, clears?: int,
         *     evictions: array{room: int, expired: int, index: int}, refusals: array{size: int, room: int},
         * } $info
         */
        $info = larder_info();
        if ($info['path'] === '') {
            return ['nothing has been stored yet; the first store creates the segment'];
        }
        ['room' => $room, 'index' => $index] = $info['evictions'];
        $isAskedSince = isset($info['settings']['larder.size']); // the reason above already says so
        $lines = [
            \sprintf(
                'size: %s%s, in %s',
                Helper::formatMemory($info['size']),
                $isAskedSince || $info['size'] === $info['size_asked']
                    ? ''
                    : \sprintf(' (larder.size asks for %s)', Helper::formatMemory($info['size_asked'])),
                $info['path'],
            ),
            \sprintf('committed memory: %s', Helper::formatMemory($info['memory']['committed'])),
            $info['zero_copy']
                ? 'zero-copy reads: yes'
                : 'zero-copy reads: no. Set larder.zero_copy=1; '
                    . 'if it is set, another mapping takes the address in this process',
            \sprintf(
                'entries: %s; oldest unused entry: %s s',
                number_format($info['entries']),
                number_format($info['oldest']),
            ),
            \sprintf(
                'evicted for memory: %s, for the index: %s, expired: %s; deleted: %s; cleared: %s times; refused stores: %s',
                ...array_map(number_format(...), [
                    $room, $index, $info['evictions']['expired'], $info['deletes'], $info['clears'] ?? 0,
                    array_sum($info['refusals']),
                ]),
            ),
        ];
        if ($health !== null) {
            $lines[] = "$health->word. $health->sentence";
        }

        return $lines;
    }
}
