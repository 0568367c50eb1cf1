<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

/** A page as a user would write it, and what it shows. */
final class Page
{
    /**
     * @param string $store that it reads from; "empty", "literal"
     * @param string|null $connection as in Measure\Subject
     * @param string $extension of PHP that it needs; empty for none
     * @param string|null $value name of what it shows
     * @param string $body that it must answer with
     * @param string $code after <?php
     * @param array<string, string> $settings as in Measure\Subject
     */
    public function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        public readonly string $extension,
        public readonly ?string $value,
        public readonly string $body,
        public readonly string $code,
        public readonly array $settings = [],
    ) {}

    /** Length of what it shows; null where there is nothing. */
    public function bytes(): ?int
    {
        return $this->value === null ? null : \strlen($this->body);
    }

    /** As in a URL. */
    public function path(): string
    {
        return \sprintf('/%s.php', implode('-', array_filter([$this->store, $this->connection, (string) \strlen($this->body)], static fn(?string $part): bool => $part !== null)));
    }
}
