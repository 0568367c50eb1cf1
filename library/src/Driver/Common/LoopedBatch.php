<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

use Larder\Key\Key;

/** getMany(), setMany() and deleteMany() for stores that do one key at a time. */
trait LoopedBatch
{
    /**
     * @param list<string> $keys
     * @return array<array-key, mixed>
     */
    public function getMany(array $keys, mixed $default = null): array
    {
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = $this->get($key, $default);
        }

        return $values;
    }

    /** @param array<array-key, mixed> $values */
    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $keys = Key::of($values);
        $all = true;
        foreach (array_values($values) as $i => $value) {
            $all = $this->set($keys[$i], $value, $ttl) && $all;
        }

        return $all;
    }

    /** @param list<string> $keys */
    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach ($keys as $key) {
            $all = $this->delete($key) && $all;
        }

        return $all;
    }
}
