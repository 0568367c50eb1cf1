<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Dsn\Endpoint;

/**
 * What this process knows of a namespace's version on a server. All its stores for the two share it, so that each sees
 * at once what another has cleared.
 */
final class NamespaceVersion
{
    private const NANOSECONDS = 50_000_000;

    /** @var array<string, \WeakReference<self>> */
    private static array $known = [];

    /** @var string|null what names begin with; null while the server has none */
    public ?string $prefix = null;

    /** By hrtime(): then the server is asked again. */
    public int $until = 0;

    private function __construct(private readonly string $place, private readonly string $namespace) {}

    public function __destruct()
    {
        unset(self::$known[$this->place]);
    }

    public static function of(Endpoint $endpoint, string $namespace): self
    {
        $place = "$namespace:$endpoint";
        $known = isset(self::$known[$place]) ? self::$known[$place]->get() : null;
        if ($known === null) {
            $known = new self($place, $namespace);
            self::$known[$place] = \WeakReference::create($known);
        }

        return $known;
    }

    public static function random(): string
    {
        return base64_encode(random_bytes(9));
    }

    /** What of the server's answer is a version: others may have written there, and names are made of it. */
    public static function checked(?string $stored): ?string
    {
        return $stored !== null && preg_match('~^[A-Za-z0-9+/]{12}$~D', $stored) === 1 ? $stored : null;
    }

    public function set(?string $version): void
    {
        $this->prefix = $version === null ? null : $this->namespace . ':' . $version;
        $this->until = $version === null ? 0 : (int) hrtime(true) + self::NANOSECONDS;
    }

    /** Lets the server be asked before the next use. */
    public function expire(): void
    {
        $this->until = 0;
    }
}
