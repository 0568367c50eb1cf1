<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Tiers;

use Larder\Cli\System\Php;
use Larder\Cli\System\TiedProcess;
use Larder\ProjectTests\Repository;
use Larder\Tests\PhpProcess;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/** One host: processes that share a network and a segment of the engine, and share nothing with other hosts. */
final class Host
{
    private const SECONDS = 60.0;

    /** @var array<string, array{Process, InputStream}> by the DSN that the process has opened */
    private array $processes = [];
    private ?Process $listener = null;

    /** The server's timeout for processes started from now on. The default is longer than stalls of the machine. */
    public float $timeout = 20.0;

    /** @param string $server address of the server for this host */
    public function __construct(
        private readonly string $namespace,
        public readonly string $server,
        private readonly string $directory,
    ) {}

    /**
     * Calls a method of a cache in a process of this host. The process keeps the cache open between calls.
     *
     * @param string $options of the tier: "poll=0.5"; "" for the server without a tier
     */
    public function call(string $options, string $method, mixed ...$arguments): mixed
    {
        [$process, $input] = $this->processes[$options] ??= $this->start($options);
        $input->write(base64_encode(serialize([$method, $arguments])) . "\n");
        $answer = '';
        for ($end = microtime(true) + self::SECONDS; microtime(true) < $end; usleep(200)) {
            $answer .= $process->getIncrementalOutput(); // it may arrive in pieces
            if (str_ends_with($answer, "\n")) {
                return unserialize((string) base64_decode($answer, true));
            }
            if (!$process->isRunning()) {
                break;
            }
        }

        throw new \RuntimeException(\sprintf('%s did not answer: %s', $method, $process->getErrorOutput()));
    }

    /** @return float seconds until a get returns this value; INF after the limit */
    public function secondsUntil(string $options, string $key, mixed $value, float $atMost): float
    {
        $start = microtime(true);
        while ($this->call($options, 'get', $key) !== $value) {
            if (microtime(true) > $start + $atMost) {
                return \INF;
            }
        }

        return microtime(true) - $start;
    }

    /** Starts `larder listen` and waits until it listens. */
    public function listen(string $options): Process
    {
        $this->listener = $listener = new Process($this->php([Repository::ROOT . '/cli/bin/larder', 'listen', $this->address($options)]), timeout: null);
        $listener->start();
        $this->waitFor($listener, 'listening to');

        return $listener;
    }

    public function waitFor(Process $listener, string $words, int $times = 1): void
    {
        for ($end = microtime(true) + self::SECONDS; substr_count($listener->getOutput(), $words) < $times; usleep(5_000)) {
            if (microtime(true) > $end || !$listener->isRunning()) {
                throw new \RuntimeException(\sprintf('no "%s" in: %s%s', $words, $listener->getOutput(), $listener->getErrorOutput()));
            }
        }
    }

    /** @param 'up'|'down' $state */
    public function setWire(string $state): void
    {
        (new Process(['ip', '-n', $this->namespace, 'link', 'set', 'wire', $state]))->mustRun();
    }

    public function stop(): void
    {
        $this->listener?->stop(5.0);
        foreach ($this->processes as [$process, $input]) {
            $input->close();
            $process->stop(5.0);
        }
    }

    /** @return array{Process, InputStream} */
    private function start(string $options): array
    {
        $input = new InputStream();
        $process = new Process($this->php([__DIR__ . '/serve.php', $this->address($options)]), null, null, $input, null);
        $process->start();

        return [$process, $input];
    }

    private function address(string $options): string
    {
        $shared = \sprintf('redis://%s?namespace=hosts&timeout=%s&on_failure=miss', $this->server, $this->timeout);

        return $options === '' ? $shared : \sprintf('tier:(larder:)(%s)?%s', $shared, $options);
    }

    /**
     * @param list<string> $arguments of PHP
     * @return list<string> a command that runs on this host, and ends with this test
     */
    private function php(array $arguments): array
    {
        $php = new Php(
            ['larder.path' => $this->directory, 'larder.segment' => 'host', 'larder.size' => '16M'],
            PhpProcess::engine(),
        );

        return TiedProcess::toThisProcess(['ip', 'netns', 'exec', $this->namespace, ...$php->command($arguments)]);
    }
}
