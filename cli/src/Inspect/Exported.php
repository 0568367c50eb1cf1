<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Drivers;
use Larder\Exception\CacheException;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Engine\Engine;
use Larder\Internal\Dump\DumpWriter;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Remember\StoredValue;
use Larder\Key\Key;

/**
 * Writes the entries of another store to a dump, under the names that they have in the engine: what other programs have
 * stored on a server, or a cache of the library, with its tags.
 */
final class Exported
{
    private const NAMES = 100;
    /** Bytes of values to read at once, as far as they are known. */
    private const BYTES = 4 << 20;
    private const DEFAULT_NAMESPACE = 'larder';

    /** @var array<string, int> entries that are not dumped, by the reason */
    public array $skipped = [];
    public int $entries = 0;
    private readonly PhpCodec $codec;

    public function __construct(private readonly DumpWriter $writer)
    {
        $this->codec = new PhpCodec();
    }

    /** @throws CacheException */
    public function ofServer(ServerEntries $server, string $prefix): void
    {
        $names = [];
        $bytes = 0;
        foreach ($server->entries() as ['name' => $name, 'size' => $size, 'kind' => $kind]) {
            if (!str_starts_with($name, $prefix)) {
                continue;
            }
            if (str_starts_with($name, NamespaceName::ALL)) {
                $this->skip('of Larder: add namespace=larder to the DSN');
            } elseif ($kind !== ServerEntries::STRING) {
                $this->skip("of the type $kind, which a cache has not");
            } elseif (\strlen($name) > Key::MAX_LENGTH || $name === '' || ReservedKey::is($name)) {
                $this->skip('whose names the engine does not take');
            } else {
                $names[] = $name;
                $bytes += $size;
            }
            if (\count($names) === self::NAMES || $bytes > self::BYTES) {
                $this->values($server, $names);
                [$names, $bytes] = [[], 0];
            }
        }
        $this->values($server, $names);
    }

    /** @throws CacheException */
    public function ofCache(Cache $cache, string $dsn, string $prefix): void
    {
        $listable = Capability::of($cache->store(), ListableStore::class);
        $aware = Capability::of($cache->store(), ExpiryAwareStore::class);
        $namespace = Drivers::parse($dsn)->namespace();
        $version = '';
        if ($namespace !== self::DEFAULT_NAMESPACE) {
            $version = \chr(random_int(1, 255)) . random_bytes(Engine::VERSION_BYTES - 1);
            $this->add(Engine::NAMESPACE_VERSION . $namespace, $version);
        }
        $keys = [];
        $values = [];
        foreach ($listable->keys() as $key) {
            $isTag = ReservedKey::isTag($key);
            if ($isTag) {
                $keys[] = $key; // load() needs them before their entries
            } elseif (!ReservedKey::is($key) && str_starts_with($key, $prefix)) {
                $values[] = $key;
            }
        }
        foreach (array_chunk([...$keys, ...$values], self::NAMES) as $some) {
            $found = $aware->entries($some);
            foreach ($found as $key => $entry) {
                $this->own((string) $key, $version, $entry->stored, (float) $entry->until);
            }
            $this->skip('that could not be read, or have just expired', \count($some) - \count($found));
        }
    }

    /** @param list<string> $names */
    private function values(ServerEntries $server, array $names): void
    {
        $before = $this->entries;
        $now = microtime(true);
        foreach ($server->values($names) as $name => [$value, $ttl]) {
            $this->add($name, $value, $ttl === 0.0 ? 0.0 : $now + $ttl);
        }
        $unread = \count($names) - ($this->entries - $before);
        $this->skip('that could not be read here, such as those of other languages', $unread);
    }

    /** The engine knows how long a value may be stale, and its cost; other stores keep it with the value. */
    private function own(string $key, string $version, mixed $stored, float $until): void
    {
        $name = $version === '' ? $key : Engine::name($version, $key);
        $found = ReservedKey::is($key) ? new StoredValue($stored) : StoredValue::found($stored);
        if ($found === null || $found->isNothing()) {
            return;
        }
        $value = StoredValue::tagging($found->value, $found->tagVersions);
        if ($found->freshUntil === 0.0) {
            $this->add($name, $value, $until, 0.0, $found->cost);
        } else {
            $this->add($name, $value, $found->freshUntil, max(0.0, $until - $found->freshUntil), $found->cost);
        }
    }

    private function add(string $name, mixed $value, float $until = 0.0, float $stale = 0.0, float $cost = 0.0): void
    {
        $isString = \is_string($value);
        $bytes = $isString ? $value : $this->codec->encode($value, $name);
        $this->writer->add($name, $bytes, $isString, $until, $stale, $cost);
        ++$this->entries;
    }

    private function skip(string $why, int $entries = 1): void
    {
        if ($entries > 0) {
            $this->skipped[$why] = ($this->skipped[$why] ?? 0) + $entries;
        }
    }
}
