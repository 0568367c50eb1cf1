<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;

/** A page as a user would write it, and its expected answer. */
final class Page
{
    /**
     * @param string $store the store that it reads from; or "empty" or "literal"
     * @param string|null $connection as in Subject
     * @param string $extension PHP extension that it needs; empty for none
     * @param string|null $value name of the value that it reads
     * @param string $body the expected body; empty if the caller checks the answer in another way
     * @param string $code after <?php
     * @param bool $isPersistent true if it keeps its connection to the store between requests
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

    /** The path in a URL. */
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
