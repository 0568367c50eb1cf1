<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Wire;

/** A message of a server: an answer, or a push message without a request. */
final class Message
{
    /**
     * @param string $kind the first byte in the protocol
     * @param mixed $value strings, integers, bools, null, lists of these; a map as its keys and values in turn
     */
    public function __construct(private readonly string $kind, public readonly mixed $value) {}

    public function isPush(): bool
    {
        return $this->kind === '>';
    }

    /** @return string|null the text of an error */
    public function error(): ?string
    {
        return ($this->kind === '-' || $this->kind === '!') && \is_string($this->value) ? $this->value : null;
    }

    /** @return list<string>|true|null names that were changed, true for all names; null for other messages */
    public function changed(): array|true|null
    {
        if (!$this->isPush() || !\is_array($this->value) || ($this->value[0] ?? null) !== 'invalidate') {
            return null;
        }
        $names = $this->value[1] ?? null;

        return \is_array($names) ? array_values(array_filter($names, is_string(...))) : true;
    }
}
