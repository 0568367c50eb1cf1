<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
use Larder\Driver\Scope;
use Larder\Drivers;

/** A store with its connection and settings. Setups are compared by tasks. */
final class Setup
{
    /** Settings that a user chooses, and their defaults. All other settings belong to the task. */
    private const DEFAULTS = [
        'serializer' => 'php', 'compression' => 'off', 'persistent' => 'off', 'opcache' => 'on', 'php' => '',
        'tier' => '',
    ];

    private const TITLES = [
        'larder' => 'Larder', 'apcu' => 'APCu', 'yac' => 'Yac', 'memcached' => 'Memcached',
        'memcache' => 'Memcached (memcache)',
        'redis' => 'Redis', 'predis' => 'Redis (Predis)', 'mysql' => 'MySQL', 'mysql-myisam' => 'MySQL MyISAM',
        'mysql-memory' => 'MySQL MEMORY', 'pgsql' => 'PostgreSQL', 'sqlite' => 'SQLite', 'file' => 'files',
        'php-file' => 'PHP files',
    ];

    /** @param array<string, string> $settings those that are not the default */
    private function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        public readonly array $settings,
    ) {}

    public static function of(Subject $subject): self
    {
        $settings = array_diff_assoc(array_intersect_key($subject->settings, self::DEFAULTS), self::DEFAULTS);
        ksort($settings);

        return new self($subject->store, $subject->connection, $settings);
    }

    /** The operation and value, which are the same for all setups that are compared. */
    public static function task(Subject $subject): string
    {
        $settings = array_diff_key($subject->settings, self::DEFAULTS);
        ksort($settings);

        return json_encode(
            [$subject->table, $subject->value, $subject->operation, $subject->unit, $settings],
            \JSON_THROW_ON_ERROR,
        );
    }

    public static function context(Subject $subject): string
    {
        $settings = array_diff_key($subject->settings, self::DEFAULTS);
        ksort($settings);

        return implode(', ', [
            $subject->table,
            ...array_map(
                static fn(string $value, string $name): string => "$name $value",
                $settings,
                array_keys($settings),
            ),
        ]);
    }

    public function isDefault(): bool
    {
        return $this->settings === [];
    }

    /**
     * The one setting, or "connection", in which the setups differ; null if they differ in more, in nothing, or in the
     * store.
     */
    public function differenceTo(self $other): ?string
    {
        if ($this->store !== $other->store) {
            return null;
        }
        $settings = array_merge(
            array_diff_assoc($this->settings, $other->settings),
            array_diff_assoc($other->settings, $this->settings),
        );
        $isReachedOtherwise = $this->connection !== $other->connection;

        return \count($settings) + (int) $isReachedOtherwise === 1
            ? ($isReachedOtherwise ? 'connection' : (string) array_key_first($settings))
            : null;
    }

    /** True for stores that `doctor` calls legacy. */
    public function isLegacy(): bool
    {
        return (Drivers::variants()[$this->store] ?? null)?->isLegacy === true;
    }

    /** The local store in front of this one, if that is the only setting that is not the default; else empty. */
    public function tier(): string
    {
        return \count($this->settings) === 1 ? $this->settings['tier'] ?? '' : '';
    }

    /**
     * A title for headlines: "Larder", "files on disk", "Redis by socket", "Memcached + Larder". TCP is not mentioned.
     */
    public function title(): string
    {
        $ways = ['socket' => ' by socket', 'disk' => ' on disk', 'tmpfs' => ' on tmpfs'];
        $title = (self::TITLES[$this->store] ?? $this->store) . ($ways[$this->connection] ?? '');
        foreach ($this->settings as $name => $value) {
            $title .= $name === 'tier' ? ' + ' . (self::TITLES[$value] ?? $value) : ", $value";
        }

        return $title;
    }

    /** A DSN to copy, with placeholders in capitals; empty for a store that is no longer known. */
    public function dsn(): string
    {
        $variant = Drivers::variants()[$this->store] ?? null;
        if ($variant === null) {
            return '';
        }
        $isSocket = $this->connection === 'socket';
        $scheme = Drivers::schemeOf($this->store);
        $options = ($scheme === $this->store ? [] : $variant->options)
            + ($isSocket && $variant->needsLogin ? ['socket' => 'SOCKET'] : []);
        $host = $isSocket ? '' : 'HOST';
        $dsn = $scheme . ':' . match (true) {
            $variant->needsLogin => "//USER:PASSWORD@$host/DATABASE",
            $variant->scope === Scope::Server => $isSocket ? '///SOCKET' : '//HOST',
            $variant->connections !== [] => '///FOLDER' . $variant->file,
            default => '',
        } . ($options === [] ? '' : '?' . http_build_query($options));

        return $this->tier() === '' ? $dsn : \sprintf('tier:(%s:)(%s)', $this->tier(), $dsn);
    }

    /** "redis socket, serializer igbinary" */
    public function name(): string
    {
        return implode(', ', [
            $this->connection === null ? $this->store : $this->store . ' ' . $this->connection,
            ...array_map(
                static fn(string $value, string $name): string => $name === 'php' ? $value : "$name $value",
                $this->settings,
                array_keys($this->settings),
            ),
        ]);
    }
}
