<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;

/** A page as a user would write it, and what it answers. */
final class Page
{
    /**
     * @param string $store that it reads from; "empty", "literal"
     * @param string|null $connection as in Subject
     * @param string $extension of PHP that it needs; empty for none
     * @param string|null $value name of what it reads
     * @param string $body that it must answer with; empty when nobody checks it by that
     * @param string $code after <?php
     * @param bool $isPersistent whether it keeps its connection to the store from one request to the next
     */
    public function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        public readonly string $extension,
        public readonly ?string $value,
        public readonly string $body,
        public readonly string $code,
        private readonly bool $isPersistent = false,
    ) {}

    /** As in a URL. */
    public function path(): string
    {
        $name = implode('-', array_filter([$this->store, $this->connection, $this->value], is_string(...)));

        return \sprintf('/%s.php', strtr($name, ' ', '-'));
    }

    /** @param array<string, string> $settings of where it is served */
    public function subject(string $table, string $operation, Unit $unit, array $settings): Subject
    {
        return new Subject(
            $table,
            $this->store,
            $this->connection,
            $this->value,
            $this->value === null ? null : \strlen($this->body),
            $operation,
            $unit,
            [...$settings, ...($this->isPersistent ? ['persistent' => 'on'] : [])],
        );
    }
}
