<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Store;
use Larder\Key\ReservedKey;
use Larder\Process\Pid;

/** Who listens on this host for changes of a shared tier: one process, known in the local tier while it lives. */
final class ListenerPresence
{
    private readonly string $name;

    /** @param string $identity as for LocalCopies */
    public function __construct(private readonly Store&AtomicStore $local, string $identity)
    {
        $this->name = ReservedKey::tier($identity) . 'listener';
    }

    /**
     * @param float $seconds after which this process is taken for dead, unless it says renew()
     * @return bool false when there is another
     */
    public function begin(float $seconds): bool
    {
        return $this->local->add($this->name, self::here(), $seconds);
    }

    /** @return bool false when another process has taken this one for dead */
    public function renew(float $seconds): bool
    {
        return $this->local->get($this->name, self::here()) === self::here() && $this->local->set($this->name, self::here(), $seconds);
    }

    public function end(): void
    {
        if ($this->local->get($this->name) === self::here()) {
            $this->local->delete($this->name);
        }
    }

    /** @return string|null "process 123 on web1"; null when none listens here */
    public function listener(): ?string
    {
        $listener = $this->local->get($this->name);

        return \is_array($listener) && \is_int($listener[0]) && \is_string($listener[1]) ? \sprintf('process %d on %s', $listener[0], $listener[1]) : null;
    }

    /** @return array{int, string} */
    private static function here(): array
    {
        return [Pid::own(), (string) gethostname()];
    }
}
