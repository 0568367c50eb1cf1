<?php

declare(strict_types=1);

namespace Larder\WordPress\Backend;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\WordPress\Backend;

/** Any store of the library that can count, such as Redis for several servers. */
final class Dsn extends Backend
{
    private function __construct(
        private readonly Cache $cache,
        private readonly string $identity,
        private readonly string $scheme,
    ) {}

    /** @return self|string why it cannot be used */
    public static function of(#[\SensitiveParameter] string $dsn): self|string
    {
        if (!class_exists(Cache::class)) {
            require_once \dirname(__DIR__, 2) . '/autoload.php'; // the plugin's, which brings the library along
        }

        try {
            $cache = Cache::open($dsn);
            if (!$cache->can(Capability::Atomic)) {
                return 'The store of LARDER_DSN cannot count; Redis can.';
            }
        } catch (\Throwable $error) {
            return 'The store of LARDER_DSN cannot be used: ' . $error->getMessage();
        }

        return new self($cache, 'dsn ' . hash('sha256', $dsn), explode(':', $dsn)[0]);
    }

    public function identity(): string
    {
        return $this->identity;
    }

    public function title(): string
    {
        return "LARDER_DSN ($this->scheme)";
    }

    public function get(string $name, mixed $default = null): mixed
    {
        return $this->tried(fn(): mixed => $this->cache->get($name, $default), $default);
    }

    public function getMany(array $names): array
    {
        $found = $this->tried(fn(): array => $this->cache->getMany($names, $this), []);
        foreach (array_keys($found, $this, true) as $missing) {
            unset($found[$missing]);
        }

        return $found;
    }

    public function set(string $name, mixed $value, int|float $ttl = 0): bool
    {
        return $this->tried(fn(): bool => $this->cache->set($name, $value, $ttl), false) || $this->delete($name);
    }

    public function add(string $name, mixed $value, int|float $ttl = 0): bool
    {
        return $this->tried(fn(): bool => $this->cache->add($name, $value, $ttl), false)
            || !$this->tried(fn(): bool => $this->cache->has($name), false);
    }

    public function delete(string $name): bool
    {
        return $this->tried(fn(): bool => $this->cache->delete($name), false);
    }

    public function swap(string $name, int $old, int $new): bool
    {
        return $this->tried(fn(): bool => $this->cache->swap($name, $old, $new), false);
    }

    /**
     * on_failure=throw in the DSN, and a value's own code, throw.
     *
     * @template T
     * @template D
     * @param \Closure(): T $call
     * @param D $otherwise
     * @return T|D
     */
    private function tried(\Closure $call, mixed $otherwise): mixed
    {
        try {
            return $call();
        } catch (\Throwable) {
            return $otherwise;
        }
    }
}
