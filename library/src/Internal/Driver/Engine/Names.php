<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Internal\Key\ReservedKey;
use LarderIterator;

/**
 * The names of the entries of a segment, as the application wrote them: see Engine::name(). A key in the namespace
 * "shop" is shown as "shop:key". Keys of the library, and those that clear() has left in a namespace, have none.
 */
final class Names
{
    /** In the place of a name. */
    public const LIBRARY = "\0library";
    public const CLEARED = "\0cleared";

    /** Behind the version: a key, or the hash of a long one. */
    private const BEFORE_KEY = '=';
    private const BEFORE_HASH = '#';

    /** @param array<array-key, string> $namespaces by version */
    private function __construct(private readonly array $namespaces) {}

    public static function ofSegment(): self
    {
        $namespaces = [];
        foreach (new LarderIterator(Engine::NAMESPACE_VERSION) as $name => $info) {
            $version = \larder_peek($name);
            if (\is_string($version)) {
                $namespaces[$version] = substr($name, \strlen(Engine::NAMESPACE_VERSION));
            }
        }

        return new self($namespaces);
    }

    /** @return string a name, LIBRARY or CLEARED */
    public function of(string $stored): string
    {
        $mark = $stored[Engine::VERSION_BYTES] ?? '';
        if ($stored[0] !== "\0" && $mark !== self::BEFORE_KEY && $mark !== self::BEFORE_HASH) {
            return $stored;
        }
        if (ReservedKey::is($stored)) {
            return self::LIBRARY;
        }
        $isLibrarys = $stored[0] === "\0" && ($stored[Engine::VERSION_BYTES + 1] ?? '') === self::BEFORE_KEY
            && ReservedKey::is(substr($stored, Engine::VERSION_BYTES + 2));
        $version = substr($stored, $isLibrarys ? 1 : 0, Engine::VERSION_BYTES);
        $namespace = $this->namespaces[$version] ?? null;
        if ($isLibrarys) {
            return $namespace === null ? self::CLEARED : self::LIBRARY;
        }
        if ($namespace !== null) {
            $key = substr($stored, Engine::VERSION_BYTES + 1);

            return $namespace . ':' . ($mark === self::BEFORE_HASH ? '#' . bin2hex($key) : $key);
        }

        // Of twelve random bytes, fewer than one version in 50,000 is text.
        return preg_match('/^[^\p{Cc}]+$/Du', $version) === 1 || $stored[0] === "\0" ? $stored : self::CLEARED;
    }

    /** @param string $stored of which of() says LIBRARY */
    public static function isTag(string $stored): bool
    {
        return ReservedKey::isTag($stored) || ReservedKey::isTag(substr($stored, Engine::VERSION_BYTES + 2));
    }

    /** @return int bytes of "shop:" before a name that is not the stored one */
    public static function lengthOfNamespace(string $name, string $stored): int
    {
        $isWhole = $stored[Engine::VERSION_BYTES] === self::BEFORE_KEY;

        return $isWhole ? \strlen($name) - \strlen($stored) + Engine::VERSION_BYTES + 1 : 0;
    }

    /**
     * @return list<string> the names in the segment that a shown one, or the beginning of one, may stand for: first
     *         that without a namespace
     */
    public function stored(string $shown): array
    {
        $names = [$shown];
        foreach ($this->namespaces as $version => $namespace) {
            if (str_starts_with($shown, "$namespace:")) {
                $names[] = $version . self::BEFORE_KEY . substr($shown, \strlen($namespace) + 1);
            }
        }

        return array_values(array_filter($names, static fn(string $name): bool => $name !== ''));
    }
}
