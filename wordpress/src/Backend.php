<?php

declare(strict_types=1);

namespace Larder\WordPress;

use Larder\WordPress\Backend\Apcu;
use Larder\WordPress\Backend\Dsn;
use Larder\WordPress\Backend\Engine;

/**
 * The memory that requests share: the store of the constant LARDER_DSN if that is defined, else the engine, else APCu.
 *
 * No call throws or warns, whatever the value and the state of the store. One that cannot be reached is an empty cache.
 * Names are 1 to 1,000 bytes and begin with no NUL byte; a ttl is in seconds, 0 for none.
 */
abstract class Backend
{
    private static self|false|null $opened = null;
    private static string $reason = '';

    /** The same object in all of a request. Null if there is no such memory: see reason(). */
    public static function open(): ?self
    {
        if (self::$opened === null) {
            self::$reason = '';
            self::$opened = \defined('LARDER_DSN') ? self::dsn(\constant('LARDER_DSN')) : self::local();
        }

        return self::$opened === false ? null : self::$opened;
    }

    /** One sentence on why open() returned null, and what to do. */
    public static function reason(): string
    {
        return self::$reason;
    }

    private static function dsn(mixed $dsn): self|false
    {
        require_once __DIR__ . '/Backend/Dsn.php';
        $opened = \is_string($dsn) ? Dsn::of($dsn) : 'LARDER_DSN must be a string such as redis://redis.example:6379.';
        self::$reason = \is_string($opened) ? $opened : '';

        return \is_string($opened) ? false : $opened;
    }

    private static function local(): self|false
    {
        require_once __DIR__ . '/Backend/Engine.php';
        $engine = Engine::reasonAgainst();
        if ($engine === '') {
            return new Engine();
        }
        $isApcu = \function_exists('apcu_enabled') && apcu_enabled();
        if ($isApcu) {
            require_once __DIR__ . '/Backend/Apcu.php';
            if (Apcu::isShared(\PHP_SAPI)) {
                return new Apcu();
            }
        }
        $apcu = $isApcu ? 'APCu is not shared by processes of ' . \PHP_SAPI : 'APCu is not enabled either';
        self::$reason = "There is no memory that requests share: $engine, $apcu, and "
            . 'wp-config.php does not define LARDER_DSN.';

        return false;
    }

    /** Names this memory among all that there are: a process with another one does not see what this one stores. */
    abstract public function identity(): string;

    /** For people, such as "the engine of Larder". */
    abstract public function title(): string;

    /** @param mixed $default returned on a miss */
    abstract public function get(string $name, mixed $default = null): mixed;

    /**
     * @param list<string> $names
     * @return array<array-key, mixed> what is there, by name and in this order
     */
    abstract public function getMany(array $names): array;

    /**
     * A value that cannot be stored (too large, a closure) is not: then there is none.
     *
     * @return bool false if others may still read an old value, because the store was not reached
     */
    abstract public function set(string $name, mixed $value, int|float $ttl = 0): bool;

    /** @return bool false if there is a value already, true in all other cases */
    abstract public function add(string $name, mixed $value, int|float $ttl = 0): bool;

    /** @return bool false if others may still read the value, because the store was not reached */
    abstract public function delete(string $name): bool;

    /** Atomic: replaces the integer $old by $new. @return bool false if another value is there, or none */
    abstract public function swap(string $name, int $old, int $new): bool;

    /**
     * A number to put into the names of all that belongs together, so that clear() forgets it at once. It grows with
     * the clock, so one that was evicted never comes back.
     *
     * @return int|null null if the store cannot be reached
     */
    final public function generation(string $name): ?int
    {
        $generation = $this->get($name);
        if (!\is_int($generation)) {
            $this->add($name, self::now());
            $generation = $this->get($name);
        }

        return \is_int($generation) ? $generation : null;
    }

    /** Forgets in O(1) all that has the generation of $name. @return bool as set() */
    final public function clear(string $name): bool
    {
        $old = $this->get($name);

        return $this->set($name, max(self::now(), \is_int($old) ? $old + 1 : 0));
    }

    private static function now(): int
    {
        return (int) (microtime(true) * 1_000_000);
    }
}
