<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

/**
 * Random calls of apcu_*(), determined by a seed: the same for each module named apcu. Each call gives a line with its
 * result, the variable passed by reference, warnings and exceptions.
 *
 * Where the engine differs on purpose (docs/apcu.md), the answer is left out or reduced to its shape, and only here:
 * keys() for keys that the engine cannot have, huge() for values over an eighth of the pages, GONE for expired entries,
 * and shape() for numbers that describe memory, times and fetches.
 */
final class Calls
{
    private const GONE = 'gone';
    private const PATTERNS = ['/^user:/', '#^user:\d+$#', '{^page}A', '/page/', '/^k[0-9]$/i', '/:/', '~^user\:1~', '/^$/', '/./s', '/^user:1|page:2/'];

    /** @var list<string> warnings of the last call */
    private array $warnings = [];

    public function __construct(int $seed)
    {
        mt_srand($seed);
        set_error_handler(function (int $level, string $message): bool {
            $this->warnings[] = "$level $message";

            return true;
        });
    }

    public function line(): string
    {
        $this->warnings = [];
        $name = self::NAMES[mt_rand(0, \count(self::NAMES) - 1)];
        $thrown = '';

        try {
            $answer = (new \ReflectionMethod($this, $name))->invoke($this);
        } catch (\Throwable $error) {
            $answer = null;
            $thrown = $error::class . ' ' . $error->getMessage();
        }

        try {
            return $name . ' ' . addcslashes(serialize([$answer, $this->warnings, $thrown]), "\0..\37\\");
        } catch (\Throwable $error) {
            return "$name: {$error->getMessage()}";
        }
    }

    private const NAMES = [
        'fetch', 'fetch', 'fetch', 'fetch', 'fetchSuccess', 'fetchSuccess', 'fetchMany', 'fetchMany', 'store', 'store', 'store', 'store', 'store',
        'storeMany', 'storeMany', 'add', 'add', 'addMany', 'exists', 'existsMany', 'delete', 'delete', 'deleteMany', 'deleteIterator',
        'inc', 'inc', 'dec', 'dec', 'cas', 'cas', 'entry', 'entry', 'iterate', 'iterate', 'total', 'keyInfo', 'cacheInfo', 'smaInfo',
        'clear', 'wrongTypes', 'wrongTypes', 'refusedValues', 'gone', 'oddKeys', 'huge', 'enabled', 'iteratorMisuse', 'counter',
    ];

    private static function key(): string
    {
        return match (mt_rand(0, 5)) {
            0 => 'k' . mt_rand(0, 9),
            1 => 'user:' . mt_rand(0, 20),
            2 => 'page:' . mt_rand(0, 20),
            3 => (string) mt_rand(0, 9),
            4 => "b\0n" . mt_rand(0, 3) . "\n",
            default => str_repeat('key', mt_rand(1, 40)),
        };
    }

    /** @return list<string> no key twice */
    private static function keys(): array
    {
        $keys = [];
        for ($i = mt_rand(0, 6); $i > 0; $i--) {
            $keys[] = self::key();
        }

        return array_values(array_unique($keys));
    }

    /** Long enough not to expire before the run ends. */
    private static function ttl(): int
    {
        return [0, 0, 5000, 100_000, 1 << 33][mt_rand(0, 4)];
    }

    // ---- One key --------------------------------------------------------------------------------

    public function fetch(): mixed
    {
        return apcu_fetch(self::key());
    }

    public function fetchSuccess(): mixed
    {
        $success = ['before', 5, null][mt_rand(0, 2)];
        $value = apcu_fetch(self::key(), $success);

        return [$value, $success];
    }

    public function store(): mixed
    {
        return apcu_store(self::key(), Values::any(), self::ttl());
    }

    public function add(): mixed
    {
        return mt_rand(0, 1) === 1 ? apcu_add(self::key(), Values::any(), self::ttl()) : self::call('apcu_add', key: self::key(), value: 1);
    }

    public function exists(): mixed
    {
        return apcu_exists(self::key());
    }

    public function delete(): mixed
    {
        return apcu_delete(self::key());
    }

    public function counter(): mixed
    {
        return apcu_store(self::key(), [0, 5, \PHP_INT_MAX, \PHP_INT_MIN][mt_rand(0, 3)]);
    }

    public function inc(): mixed
    {
        $success = null;

        return [apcu_inc(self::key(), mt_rand(-5, 5), $success, self::ttl()), $success];
    }

    public function dec(): mixed
    {
        $success = null;

        return [apcu_dec(self::key(), [1, -3, 0, \PHP_INT_MAX][mt_rand(0, 3)], $success), $success, apcu_dec(self::key())];
    }

    public function cas(): mixed
    {
        $key = self::key();
        $new = mt_rand(0, 3);
        $old = apcu_fetch($key);

        return [apcu_cas($key, mt_rand(0, 3), $new), \is_int($old) && apcu_cas($key, $old, $new)];
    }

    public function entry(): mixed
    {
        $value = Values::any();
        $key = self::key();
        $other = self::key();

        return match (mt_rand(0, 3)) {
            0 => apcu_entry($key, static fn(string $name): mixed => [$name, $value], self::ttl()),
            1 => apcu_entry($key, static fn(): array => [apcu_entry($other, static fn(): mixed => $value), apcu_fetch($other)]),
            2 => apcu_entry($key, static fn(): mixed => throw new \LogicException('not made')),
            default => apcu_entry($key, 'strtoupper'),
        };
    }

    public function keyInfo(): mixed
    {
        return self::shape(apcu_key_info(self::key()));
    }

    // ---- Many keys ------------------------------------------------------------------------------

    public function fetchMany(): mixed
    {
        $keys = self::keys();
        if (mt_rand(0, 5) === 0) {
            array_splice($keys, mt_rand(0, \count($keys)), 0, [[5, null, 1.5, [], new \stdClass()][mt_rand(0, 4)]]);
        }

        $success = null;
        $values = apcu_fetch(self::keys(), $success);

        return [self::call('apcu_fetch', $keys), $values, $success];
    }

    public function existsMany(): mixed
    {
        return self::call('apcu_exists', [...self::keys(), ...(mt_rand(0, 5) === 0 ? [7, null] : [])]);
    }

    /** @return array<mixed> */
    private static function values(): array
    {
        $values = [];
        foreach (self::keys() as $key) {
            $values[$key] = Values::any();
        }

        return $values;
    }

    public function storeMany(): mixed
    {
        $values = self::values();
        $reference = 'referred';
        if (mt_rand(0, 3) === 0) {
            $values['k1'] = &$reference;
        }

        return apcu_store($values, null, self::ttl());
    }

    public function addMany(): mixed
    {
        return self::call('apcu_add', self::values(), 'ignored', self::ttl());
    }

    public function deleteMany(): mixed
    {
        return self::call('apcu_delete', [...self::keys(), ...(mt_rand(0, 5) === 0 ? [7, ['x']] : [])]);
    }

    // ---- Iterators ------------------------------------------------------------------------------

    /** @return string|list<string>|null */
    private static function search(): string|array|null
    {
        return match (mt_rand(0, 3)) {
            0 => null,
            1 => self::keys(),
            default => self::PATTERNS[mt_rand(0, \count(self::PATTERNS) - 1)],
        };
    }

    private static function format(): int
    {
        return mt_rand(0, 2) === 0 ? APC_ITER_ALL : mt_rand(0, 2047);
    }

    public function iterate(): mixed
    {
        $items = [];
        foreach (new \APCUIterator(self::search(), self::format(), mt_rand(0, 3), mt_rand(0, 9) === 0 ? APC_LIST_DELETED : APC_LIST_ACTIVE) as $key => $item) {
            $items["key $key"] = self::shape($item);
        }
        ksort($items);

        return $items;
    }

    public function total(): mixed
    {
        $iterator = new \APCUIterator(self::search());

        return [$iterator->getTotalCount(), self::shape([$iterator->getTotalHits()]), $iterator->getTotalSize() > 0];
    }

    public function deleteIterator(): mixed
    {
        $search = self::search();

        return $search === null ? null : apcu_delete(new \APCUIterator($search, self::format()));
    }

    public function iteratorMisuse(): mixed
    {
        $iterator = new \APCUIterator(['none']);
        $iterator->next();

        return match (mt_rand(0, 3)) {
            0 => $iterator->current(),
            1 => $iterator->key(),
            2 => [$iterator->valid(), $iterator->getTotalCount(), $iterator->getTotalSize()],
            default => (new \APCUIterator(null, APC_ITER_ALL, 0, 7))->valid(),
        };
    }

    // ---- The cache ------------------------------------------------------------------------------

    public function clear(): mixed
    {
        return mt_rand(0, 20) === 0 ? apcu_clear_cache() : null;
    }

    public function enabled(): mixed
    {
        return apcu_enabled();
    }

    public function cacheInfo(): mixed
    {
        $limited = mt_rand(0, 3) > 0;
        $info = apcu_cache_info($limited);
        if ($info !== false && !$limited) {
            /** @var list<array<mixed>> $list */
            $list = $info['cache_list'];
            $list = array_filter($list, static fn(array $entry): bool => $entry['info'] !== self::GONE);
            usort($list, static fn(array $a, array $b): int => $a['info'] <=> $b['info']);
            $info['cache_list'] = array_map(self::shape(...), $list);
            $info['slot_distribution'] = [];
        }

        return self::shape($info);
    }

    public function smaInfo(): mixed
    {
        $limited = mt_rand(0, 1) === 1;
        $info = apcu_sma_info($limited);
        if ($info !== false && !$limited) {
            /** @var array<array<mixed>> $lists */
            $lists = $info['block_lists'];
            $info['block_lists'] = [\count($lists), array_keys((array) $lists[0][0])];
        }

        return self::shape($info);
    }

    // ---- What is refused ------------------------------------------------------------------------

    private static function call(string $function, mixed ...$arguments): mixed
    {
        \assert(\is_callable($function));

        return $function(...$arguments);
    }

    public function wrongTypes(): mixed
    {
        $key = [5, null, 1.5, true, new \stdClass(), [], [[]]][mt_rand(0, 6)];

        return match (mt_rand(0, 12)) {
            0 => self::call('apcu_fetch', $key),
            1 => self::call('apcu_exists', $key),
            // an object of another class is a fatal error
            2 => self::call('apcu_delete', $key instanceof \stdClass ? 5 : $key),
            3 => self::call('apcu_store', $key, 1),
            4 => self::call('apcu_add', $key, 1),
            5 => self::call('apcu_inc', $key),
            6 => self::call('apcu_cas', 'k1', $key, 1),
            7 => self::call('apcu_entry', 'k1', $key),
            8 => self::call('apcu_store', self::key()),
            9 => self::call('apcu_store'),
            10 => self::call('apcu_fetch', 'k1', 1, 2),
            11 => self::call('apcu_key_info', $key),
            default => self::call('apcu_store', 'k1', 1, $key),
        };
    }

    public function refusedValues(): mixed
    {
        $file = fopen('php://memory', 'r');

        return match (mt_rand(0, 3)) {
            0 => apcu_store(self::key(), $file),
            1 => apcu_add(self::key(), ['a' => [1, $file]]),
            2 => apcu_store(self::key(), static fn(): int => 1),
            default => apcu_store([self::key() => [static fn(): int => 1]]),
        };
    }

    /**
     * An entry that has already expired when it is stored. The modules differ in whether it exists until its memory is
     * needed.
     */
    public function gone(): mixed
    {
        return match (mt_rand(0, 6)) {
            0, 1 => apcu_store(self::GONE, Values::any(), -mt_rand(1, 9)),
            2 => apcu_fetch(self::GONE),
            3 => apcu_exists([self::GONE]),
            4 => apcu_add(self::GONE, 1, -1),
            5 => apcu_inc(self::GONE, 1, ttl: -1),
            default => apcu_cas(self::GONE, 1, 1),
        };
    }

    /** APCu accepts them; the engine refuses them. */
    public function oddKeys(): mixed
    {
        $key = mt_rand(0, 1) === 1 ? '' : str_repeat('k', 70_000);
        $stored = apcu_store($key, 1);
        $fetched = apcu_fetch($key);
        apcu_delete($key);

        return ['equal' => $stored === ($fetched === 1)];
    }

    public function huge(): mixed
    {
        if (mt_rand(0, 50) > 0) {
            return null;
        }
        $stored = apcu_store('huge', str_repeat('x', 9 << 20));
        $fetched = apcu_fetch('huge');
        apcu_delete('huge');

        return ['equal' => $stored === (\is_string($fetched) && \strlen($fetched) === 9 << 20)];
    }

    // ---- Answers --------------------------------------------------------------------------------

    /** Memory, times and counts of fetches are reduced to their types. */
    private static function shape(mixed $info): mixed
    {
        if (!\is_array($info)) {
            return $info;
        }
        foreach ($info as $name => $value) {
            if ($name === 'ttl' && \is_int($value)) {
                // the ttl is one less if the process had to wait while it stored
                $info[$name] = (int) round($value, -1);
            } elseif ($name !== 'value' && (\is_int($value) || \is_float($value))) {
                $info[$name] = get_debug_type($value);
            }
        }
        // older APCu versions lack these, or have them with another type
        unset($info['cleanups'], $info['defragmentations'], $info['expunges']);

        return $info;
    }
}
