<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Contract\Entry;

/**
 * Changes and removes values in files, while no other process does.
 *
 * @template T the form in which the store keeps values
 */
trait ChangesFiles
{
    private readonly Directory $directory;
    private ?Collector $collector = null;

    public function delete(string $key): bool
    {
        return $this->directory->delete($this->directory->file($key));
    }

    public function clear(): bool
    {
        return $this->directory->clear();
    }

    public function prune(): int
    {
        return $this->collector()->prune();
    }

    public function withinOneWaitBudget(\Closure $calls): mixed
    {
        return $this->directory->waitBudget()->of($calls);
    }

    public function evicts(): bool
    {
        return $this->maxBytes > 0;
    }

    private function collector(): Collector
    {
        return $this->collector ??= new Collector($this->directory->folders(), self::isOver(...), $this->maxBytes);
    }

    /** @param \Closure(Entry<T>|null): (Entry<T>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
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
            $this->collector()->wrote($file, $bytes, $until > 0.0);
        }

        return $isChanged;
    }

    /** @return Entry<T>|null */
    abstract private function found(string $key): ?Entry;

    /**
     * @param T $stored
     * @return int bytes; 0 if it was refused
     */
    abstract private function write(string $file, string $key, mixed $stored, float $until): int;

    /** True if these are the first bytes of a file that has expired, or is damaged. */
    abstract private static function isOver(string $head): bool;
}
