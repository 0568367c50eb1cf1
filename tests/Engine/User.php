<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** The users of this machine whose caches are tried. */
final class User
{
    private function __construct(
        public readonly string $name,
        public readonly int $id,
    ) {}

    /** Whom sites belong to: www-data where these tests may become somebody, else who runs them. */
    public static function site(): self
    {
        return self::mayChange() ? self::named('www-data') : self::current();
    }

    /** Somebody else. */
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
     * What has to stand before a command that this user shall run. A change of user makes the kernel forget which signal
     * the process gets when its starter dies, so that is said again.
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
