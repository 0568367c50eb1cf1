<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;

/** A store as somebody runs it: reached in one way, with its settings. Tasks are what setups are compared by. */
final class Setup
{
    /** Settings that people choose, and what a store has without them. All others belong to the task. */
    private const DEFAULTS = ['serializer' => 'php', 'compression' => 'off', 'persistent' => 'off', 'opcache' => 'on', 'php' => ''];

    /** @param array<string, string> $settings those that are not the default */
    private function __construct(public readonly string $store, public readonly ?string $connection, public readonly array $settings) {}

    public static function of(Subject $subject): self
    {
        $settings = array_diff_assoc(array_intersect_key($subject->settings, self::DEFAULTS), self::DEFAULTS);
        ksort($settings);

        return new self($subject->store, $subject->connection, $settings);
    }

    /** What is done, the same for all setups that do it. */
    public static function task(Subject $subject): string
    {
        $settings = array_diff_key($subject->settings, self::DEFAULTS);
        ksort($settings);

        return json_encode([$subject->table, $subject->value, $subject->operation, $subject->unit, $settings], \JSON_THROW_ON_ERROR);
    }

    public static function context(Subject $subject): string
    {
        $settings = array_diff_key($subject->settings, self::DEFAULTS);
        ksort($settings);

        return implode(', ', [$subject->table, ...array_map(static fn(string $value, string $name): string => "$name $value", $settings, array_keys($settings))]);
    }

    public function isDefault(): bool
    {
        return $this->settings === [];
    }

    /** With one setting, or the connection, as in another: null when they differ in more, in nothing, or in the store. */
    public function differenceTo(self $other): ?string
    {
        if ($this->store !== $other->store) {
            return null;
        }
        $settings = array_merge(array_diff_assoc($this->settings, $other->settings), array_diff_assoc($other->settings, $this->settings));
        $isReachedOtherwise = $this->connection !== $other->connection;

        return \count($settings) + (int) $isReachedOtherwise === 1 ? ($isReachedOtherwise ? 'connection' : (string) array_key_first($settings)) : null;
    }

    /** "redis socket, serializer igbinary" */
    public function name(): string
    {
        return implode(', ', [
            $this->connection === null ? $this->store : $this->store . ' ' . $this->connection,
            ...array_map(static fn(string $value, string $name): string => $name === 'php' ? $value : "$name $value", $this->settings, array_keys($this->settings)),
        ]);
    }
}
