<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** The users of this machine whose caches are tested. */
final class User
{
    private function __construct(
        public readonly string $name,
        public readonly int $id,
    ) {}

    /** The user of sites: www-data if these tests can change users, else the user who runs them. */
    public static function site(): self
    {
        return self::mayChange() ? self::named('www-data') : self::current();
    }

    /** Another user. */
    public static function stranger(): self
    {
        return self::named('nobody');
    }

    public static function current(): self
    {
        $entry = posix_getpwuid(posix_geteuid());

        return new self($entry === false ? (string) posix_geteuid() : $entry['name'], posix_geteuid());
    }

    public static function mayChange(): bool
    {
        return posix_geteuid() === 0;
    }

    public function isCurrent(): bool
    {
        return $this->id === posix_geteuid();
    }

    /**
     * Prefix of a command to run as this user. A change of user clears the signal that the process gets when its
     * starter dies, so this sets it again.
     *
     * @param 'KILL'|'TERM' $deathSignal
     * @return list<string>
     */
    public function through(string $deathSignal = 'KILL'): array
    {
        return $this->isCurrent() ? [] : [
            'setpriv', '--reuid', $this->name, '--regid', (string) $this->group(), '--clear-groups', '--pdeathsig', $deathSignal, '--',
        ];
    }

    private static function named(string $name): self
    {
        $entry = posix_getpwnam($name);

        return $entry === false ? throw new \RuntimeException("there is no user $name") : new self($name, $entry['uid']);
    }

    private function group(): int
    {
        $entry = posix_getpwnam($this->name);

        return $entry === false ? throw new \RuntimeException("there is no user {$this->name}") : $entry['gid'];
    }
}
