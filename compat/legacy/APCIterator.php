<?php

declare(strict_types=1);

use Larder\Legacy\Apc\Variables;
use Larder\Legacy\Entry;
use Larder\Legacy\Miss;

if (!class_exists('APCIterator', false)) {
    /**
     * Iterates over the variables of apc_store(): key => what $format asks for. Each entry is as it is when the iterator
     * comes to it; those that are stored or deleted meanwhile may be returned or not.
     *
     * Subclasses of that time have no return types, so neither have these methods. Where one does not call this constructor,
     * each method returns false, as in APC.
     *
     * @implements Iterator<string|false, array<string, mixed>|false>
     */
    class APCIterator implements Iterator
    {
        /** The expression that a key matches; '' for every key. */
        private string $pattern = '';

        /** @var list<string>|null the only keys; null for all */
        private ?array $keys = [];

        private int $format = APC_ITER_NONE;

        private bool $isConstructed = false;

        /** @var Generator<string, array<string, mixed>>|null null before it has started */
        private ?Generator $items = null;

        /** @var array{int, int, int}|null hits, bytes, entries */
        private ?array $totals = null;

        /**
         * @param string $cache 'user'; any other is the cache of files, which is empty
         * @param mixed $search a regular expression, an array of keys, or null for every entry
         * @param int $format APC_ITER_*
         * @param int $chunk_size no meaning
         * @param int $list APC_LIST_ACTIVE, or APC_LIST_DELETED, which is empty
         * @throws ValueError if an argument is none of these, or the expression cannot be compiled
         */
        public function __construct(?string $cache, mixed $search = null, int $format = APC_ITER_ALL, ?int $chunk_size = 0, int $list = APC_LIST_ACTIVE)
        {
            if ($chunk_size < 0 || $format > APC_ITER_ALL || !in_array($list, [APC_LIST_ACTIVE, APC_LIST_DELETED], true)) {
                throw new ValueError('APCIterator: the chunk size must be 0 or greater, the format of APC_ITER_*, the list of APC_LIST_*');
            }
            $this->pattern = is_string($search) ? $search : '';
            if ($this->pattern !== '' && @preg_match($this->pattern, '') === false) {
                throw new ValueError("APCIterator: Could not compile regular expression: $this->pattern");
            }
            $isEmpty = strcasecmp($cache ?? '', 'user') !== 0 || $list !== APC_LIST_ACTIVE;
            $this->keys = $isEmpty ? [] : (is_array($search) ? array_values(array_unique(array_filter($search, is_string(...)))) : null);
            $this->format = $format;
            $this->isConstructed = true;
        }

        /** @return false|null */
        #[ReturnTypeWillChange]
        public function rewind()
        {
            $this->items = $this->items();

            return $this->isConstructed ? null : false;
        }

        /** @return bool */
        #[ReturnTypeWillChange]
        public function valid()
        {
            return $this->started()->valid();
        }

        /** @return array<string, mixed>|false false after the last entry */
        #[ReturnTypeWillChange]
        public function current()
        {
            return $this->valid() ? $this->started()->current() : false;
        }

        /** @return string|false false after the last entry */
        #[ReturnTypeWillChange]
        public function key()
        {
            return $this->valid() ? $this->started()->key() : false;
        }

        /** @return bool false after the last entry */
        #[ReturnTypeWillChange]
        public function next()
        {
            $isValid = $this->valid();
            $this->started()->next();

            return $isValid;
        }

        /**
         * Returns how many of the entries were fetched since they were stored.
         *
         * @return int|false
         */
        public function getTotalHits()
        {
            return $this->isConstructed ? $this->totals()[0] : false;
        }

        /**
         * Returns the bytes of memory of the entries.
         *
         * @return int|false
         */
        public function getTotalSize()
        {
            return $this->isConstructed ? $this->totals()[1] : false;
        }

        /**
         * Returns the number of entries.
         *
         * @return int|false
         */
        public function getTotalCount()
        {
            return $this->isConstructed ? $this->totals()[2] : false;
        }

        /** @internal of apc_delete(): deletes the entries that it has not returned yet. */
        public function delete(): bool
        {
            if ($this->items === null) {
                foreach ($this->entries() as $entry) {
                    larder_delete(Variables::PREFIX . $entry->key);
                }
            }
            while ($this->items?->valid() === true) {
                larder_delete(Variables::PREFIX . $this->items->key());
                $this->items->next();
            }

            return $this->isConstructed;
        }

        /** @return Generator<string, array<string, mixed>> */
        private function started(): Generator
        {
            return $this->items ??= $this->items();
        }

        /** @return array{int, int, int} */
        private function totals(): array
        {
            if ($this->totals === null) {
                $this->totals = [0, 0, 0];
                foreach ($this->entries() as $entry) {
                    $this->totals[0] += $entry->hits;
                    $this->totals[1] += $entry->size;
                    ++$this->totals[2];
                }
            }

            return $this->totals;
        }

        /** @return Generator<int, Entry> */
        private function entries(): Generator
        {
            foreach ($this->keys ?? [] as $key) {
                $entry = Entry::of(Variables::PREFIX, $key);
                if ($entry !== null) {
                    yield $entry;
                }
            }
            foreach ($this->keys === null ? Entry::all(Variables::PREFIX, $this->prefix()) : [] as $entry) {
                if ($this->pattern === '' || preg_match($this->pattern, $entry->key) === 1) {
                    yield $entry;
                }
            }
        }

        /** What every key that matches begins with, such as `user:` for `/^user:/`: others are not even matched. */
        private function prefix(): string
        {
            // The quantifier of the last character may stand behind \E, \Q\E or a comment.
            $isAnchored = preg_match('~^([/#\~@%])\^([\w:-]+)(?![?*{\\\\]|\(\?#)[^|]*\1$~D', $this->pattern, $parts) === 1;

            return $isAnchored ? $parts[2] : '';
        }

        /** @return Generator<string, array<string, mixed>> */
        private function items(): Generator
        {
            foreach ($this->entries() as $entry) {
                $value = ($this->format & APC_ITER_VALUE) === 0 ? null : larder_fetch(Variables::PREFIX . $entry->key, Miss::Here);
                if ($value !== Miss::Here) {
                    yield $entry->key => $this->item($entry, $value);
                }
            }
        }

        /** @return array<string, mixed> */
        private function item(Entry $entry, mixed $value): array
        {
            $item = [];
            foreach ([
                'type' => [APC_ITER_TYPE, 'user'],
                'key' => [APC_ITER_KEY, $entry->key],
                'value' => [APC_ITER_VALUE, $value],
                'num_hits' => [APC_ITER_NUM_HITS, $entry->hits],
                'mtime' => [APC_ITER_MTIME, $entry->stored],
                'creation_time' => [APC_ITER_CTIME, $entry->stored],
                'deletion_time' => [APC_ITER_DTIME, 0],
                'access_time' => [APC_ITER_ATIME, $entry->stored],
                'ref_count' => [APC_ITER_REFCOUNT, 0],
                'mem_size' => [APC_ITER_MEM_SIZE, $entry->size],
                'ttl' => [APC_ITER_TTL, $entry->ttl],
            ] as $name => [$flag, $part]) {
                if (($this->format & $flag) !== 0) {
                    $item[$name] = $part;
                }
            }

            return $item;
        }
    }
}
