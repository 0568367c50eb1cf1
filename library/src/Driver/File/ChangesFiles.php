<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Contract\Entry;
use Larder\Key\Key;

/**
 * Changing and removing values that are files, while no other process does.
 *
 * @template T the form in which the store keeps values
 */
trait ChangesFiles
{
    private readonly Directory $directory;
    private readonly Collector $collector;

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->directory->delete($this->directory->file($key));
    }

    public function withinOneWaitBudget(\Closure $calls): mixed
    {
        return $this->directory->waitBudget->of($calls);
    }

    /** @param \Closure(Entry<T>|null): (Entry<T>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $file = $this->directory->file($key);
        $until = 0.0;
        $bytes = 0;
        $isChanged = $this->directory->locked($file, function () use ($key, $file, $change, &$until, &$bytes): bool {
            $old = $this->found($key);
            $new = $change($old);
            if ($new === false || $new === null) {
                return $new === null && Folders::remove($file);
            }
            $until = $new->until ?? $old->until ?? 0.0;
            $bytes = $this->write($file, $key, $new->stored, $until);

            return $bytes > 0;
        }) ?? false;
        if ($bytes > 0) {
            $this->collector->wrote($file, $bytes, $until > 0.0);
        }

        return $isChanged;
    }

    /** @return Entry<T>|null */
    abstract private function found(string $key): ?Entry;

    /**
     * @param T $stored
     * @return int how many bytes; 0 when it was refused
     */
    abstract private function write(string $file, string $key, mixed $stored, float $until): int;
}
