<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Wire;

/** What a server says: an answer, or what nobody has asked for. */
final class Message
{
    /**
     * @param string $kind the protocol's sign
     * @param mixed $value strings, integers, bools, null, lists of these; a map as its keys and values in turn
     */
    public function __construct(private readonly string $kind, public readonly mixed $value) {}

    public function isPush(): bool
    {
        return $this->kind === '>';
    }

    /** @return string|null what a refusal says */
    public function error(): ?string
    {
        return ($this->kind === '-' || $this->kind === '!') && \is_string($this->value) ? $this->value : null;
    }

    /**
     * @return list<string>|true|null names that were changed, true for all there are; null when it is about something
     *         else
     */
    public function changed(): array|true|null
    {
        if (!$this->isPush() || !\is_array($this->value) || ($this->value[0] ?? null) !== 'invalidate') {
            return null;
        }
        $names = $this->value[1] ?? null;

        return \is_array($names) ? array_values(array_filter($names, is_string(...))) : true;
    }
}
