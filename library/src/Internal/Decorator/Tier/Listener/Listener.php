<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier\Listener;

use Larder\Internal\Decorator\Tier\LocalCopies;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;
use Larder\Server\ConnectionSettings;

/**
 * Receives every change from the servers of a shared tier, and drops this host's copies of the changed keys.
 *
 * While there is a lease, the host's processes do not ask the servers. The listener grants a lease each time that all
 * servers have answered, for the seconds of a poll since it asked them. If this process is killed or stopped, or a
 * server is cut off, the lease ends and the processes ask again themselves. Changes during such a gap are unknown, so
 * all copies become invalid after each connect.
 */
final class Listener
{
    private const BEATS_IN_A_LEASE = 3;
    /** Seconds between two attempts to connect: the first and the longest pause. */
    private const PAUSE = 0.1;
    private const LONGEST_PAUSE = 2.0;
    private const SECONDS_BETWEEN_COUNTS = 60.0;
    /** Seconds for which this process counts as alive after its last sign of life, at least. */
    private const SHORTEST_CLAIM = 1.0;

    private bool $isStopped = false;
    private int $heard = 0;
    private int $heardBefore = 0;

    /**
     * @param \Closure(): non-empty-list<ConnectionSettings> $servers returns the current servers
     * @param non-empty-list<string> $question tests whether a server is alive: see Connection
     * @param string $prefix of the names of this shared tier
     * @param float $lease seconds of a poll
     * @param float $patience time limit to connect to a server
     * @param \Closure(string, bool): void $say receives a line for each event; true for one about a single change
     */
    public function __construct(
        private readonly LocalCopies $copies,
        private readonly \Closure $servers,
        private readonly array $question,
        private readonly string $prefix,
        private readonly float $lease,
        private readonly float $patience,
        private readonly \Closure $say,
    ) {}

    /** @return bool false if another process listens on this host */
    public function run(): bool
    {
        if (!$this->copies->beginListening($this->claim())) {
            return false;
        }
        $pause = self::PAUSE;
        while (!$this->isStopped) {
            try {
                $this->listen($this->connect());
            } catch (ServerGone $gone) {
                $this->copies->withdraw();
                $until = "Until it is back each process of this host asks, every $this->lease s";
                $this->say("{$gone->getMessage()}. $until");
                if ($this->heard > $this->heardBefore) {
                    $pause = self::PAUSE;
                    $this->heardBefore = $this->heard;
                }
                $this->pause($pause);
                $pause = min(2 * $pause, self::LONGEST_PAUSE);
            }
        }
        $this->copies->withdraw();
        $this->copies->endListening();
        $this->say(\sprintf('stopped; %d changes heard', $this->heard));

        return true;
    }

    /** For a signal handler: run() returns soon. */
    public function stop(): void
    {
        $this->isStopped = true;
    }

    /** @return non-empty-array<string, Connection> */
    private function connect(): array
    {
        $connections = [];
        foreach (($this->servers)() as $settings) {
            $connections[(string) $settings->endpoint] = Connection::open($settings, $this->prefix, $this->question);
        }

        return $connections;
    }

    /** @param non-empty-array<string, Connection> $connections */
    private function listen(array $connections): void
    {
        $this->copies->voidAll(null);
        $servers = implode(', ', array_keys($connections));
        $this->say("listening to $servers for changes of $this->prefix*; all copies made before are void");
        $granted = 0;
        $beat = 0;
        $count = (int) hrtime(true);
        while (!$this->isStopped) {
            $now = (int) hrtime(true);
            if ($now >= $beat) {
                $this->beat($connections);
                $beat = $now + (int) (1e9 * $this->lease / self::BEATS_IN_A_LEASE);
            }
            $this->hear($connections, max(1, intdiv($beat - $now, 1000)));
            $heardUntil = min(array_map(static fn(Connection $each): int => $each->heardUntil(), $connections));
            if ($heardUntil > $granted) {
                $this->grant($heardUntil);
                $granted = $heardUntil;
            }
            if ($now - $count > 1e9 * self::SECONDS_BETWEEN_COUNTS) {
                $this->say(\sprintf('%d changes heard', $this->heard));
                $count = $now;
            }
        }
    }

    /** @param non-empty-array<string, Connection> $connections */
    private function beat(array $connections): void
    {
        if (!$this->copies->keepListening($this->claim())) {
            $this->say('another process took this one for dead, and listens in its place');
            $this->stop();
        }
        foreach ($connections as $server => $connection) {
            if ($connection->isSilent()) {
                throw new ServerGone(\sprintf('no answer from %s for %.1f s', $server, $connection->silence()));
            }
            $connection->ask();
        }
    }

    /**
     * @param non-empty-array<string, Connection> $connections
     * @param int $microseconds longest time to wait
     */
    private function hear(array $connections, int $microseconds): void
    {
        $ready = array_map(static fn(Connection $connection): mixed => $connection->socket(), $connections);
        $none = null;
        [$seconds, $rest] = [intdiv($microseconds, 1_000_000), $microseconds % 1_000_000];
        if ((int) @stream_select($ready, $none, $none, $seconds, $rest) === 0) {
            return; // nothing, or a signal
        }
        foreach (array_keys($ready) as $server) {
            foreach ($connections[$server]->changes() as $changed) {
                if ($changed === true) {
                    $this->copies->voidAll(null);
                    $this->say(\sprintf('%s was emptied; all copies made before are void', $server));
                } else {
                    array_map($this->drop(...), $changed);
                }
            }
        }
    }

    private function drop(string $name): void
    {
        $key = substr($name, \strlen($this->prefix));
        if ($key !== '' && !ReservedKey::isOfChanges($key)) {
            ++$this->heard;
            $this->copies->drop($key);
            ($this->say)(\sprintf('changed: %s', addcslashes($key, "\0..\37\177..\377")), true);
        }
    }

    private function grant(int $heardUntil): void
    {
        $left = $this->lease - (hrtime(true) - $heardUntil) / 1e9;
        if ($left > 0.0) {
            [$epoch, $seen] = $this->copies->state();
            $this->copies->grant($epoch, $seen, $left);
        }
    }

    private function pause(float $seconds): void
    {
        for ($end = microtime(true) + $seconds; !$this->isStopped && microtime(true) < $end;) {
            Functions::sleep(20_000);
        }
        $this->copies->keepListening($this->claim() + $this->patience);
    }

    private function claim(): float
    {
        return max(self::SHORTEST_CLAIM, $this->lease);
    }

    private function say(string $line): void
    {
        ($this->say)($line, false);
    }
}
