<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

/** One pool of workers under a PhpFpmServer. */
final class PhpFpmPool
{
    /**
     * @param string $name letters, digits, - and _
     * @param array<string, string|int> $ini settings of this pool alone, by php_admin_value
     * @param string|null $user the workers' user; null: the user who starts the server
     * @param array<string, string|int> $directives further lines of the pool's configuration, such as
     *                                              ['request_terminate_timeout' => '2s']
     */
    public function __construct(
        public readonly string $name = 'www',
        public readonly array $ini = [],
        public readonly ?string $user = null,
        public readonly int $workers = 1,
        public readonly array $directives = [],
    ) {}

    /** The pool's section of FPM's configuration. */
    public function configuration(string $socket): string
    {
        $lines = [
            'listen' => $socket,
            'listen.mode' => '0600',
            'pm' => 'static',
            'pm.max_children' => (string) $this->workers,
            'catch_workers_output' => 'yes',
            'clear_env' => 'no',
        ];
        $user = $this->user ?? (posix_geteuid() === 0 ? 'root' : null);
        if ($user !== null) {
            $lines['user'] = $user;
        }
        foreach ($this->ini as $setting => $value) {
            $lines[\sprintf('php_admin_value[%s]', $setting)] = $value;
        }
        $section = \sprintf("[%s]\n", $this->name);
        foreach ([...$lines, ...$this->directives] as $directive => $value) {
            $section .= \sprintf("%s = %s\n", $directive, $value);
        }

        return $section;
    }
}
