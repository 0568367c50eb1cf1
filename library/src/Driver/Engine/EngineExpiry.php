<?php

declare(strict_types=1);

namespace Larder\Driver\Engine;

use Larder\Contract\Entry;

use function larder_fetch;
use function larder_key_info;

/** Until when the engine keeps a value. */
trait EngineExpiry
{
    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($keys as $key) {
            $name = $this->name($key);
            $before = larder_key_info($name);
            $value = $before === null ? $this : larder_fetch($name, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, self::until($before, larder_key_info($name)));
            }
        }

        return $entries;
    }

    /** The key in the segment, checked. */
    abstract private function name(string $key): string;

    /**
     * It is not told with the value. Where another is stored between the questions the earlier time holds: it is never
     * later than the value's own.
     *
     * @param mixed[]|null ...$infos
     */
    private static function until(?array ...$infos): float
    {
        $ttls = array_filter(array_map(static fn(?array $info): mixed => $info['ttl'] ?? 0.0, $infos), static fn(mixed $ttl): bool => \is_float($ttl) && $ttl > 0.0);

        return $ttls === [] ? 0.0 : microtime(true) + min($ttls);
    }
}
