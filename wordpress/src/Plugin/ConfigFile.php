<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A site's wp-config.php. WordPress loads advanced-cache.php only if it sets WP_CACHE. */
final class ConfigFile
{
    public function __construct(public readonly string $path) {}

    /**
     * Sets WP_CACHE. Call it only with the permission of the user.
     *
     * @throws Refused
     */
    public function setCache(): void
    {
        $this->change(static fn(ConfigSource $source): ?string => $source->withCache());
    }

    /**
     * Takes back what setCache() did. A line of anybody else stays.
     *
     * @throws Refused
     */
    public function unsetCache(): void
    {
        $this->change(static fn(ConfigSource $source): string => $source->withoutCache());
    }

    /**
     * @param \Closure(ConfigSource): ?string $change
     * @throws Refused
     */
    private function change(\Closure $change): void
    {
        $code = AtomicFile::contents($this->path);
        if ($code === null || $code === '') {
            throw new Refused(Problem::NotWritable, $this->path);
        }
        if (!\extension_loaded('tokenizer')) {
            throw new Refused(Problem::NotParsed, $this->path);
        }
        try {
            $changed = $change(new ConfigSource($code));
        } catch (\ParseError) {
            throw new Refused(Problem::NotParsed, $this->path);
        }
        if ($changed === null) {
            throw new Refused(Problem::ElsewhereDefined, $this->path);
        }
        if ($changed !== $code) {
            AtomicFile::write($this->path, $changed, $code);
        }
    }
}
