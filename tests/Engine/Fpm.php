<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\ServerFailed;
use Symfony\Component\Process\Process;

/** PHP-FPM; code runs in a request to a worker. */
final class Fpm extends Php
{
    public function __construct(
        private readonly Sandbox $sandbox,
        public readonly PhpFpmServer $server,
        private readonly ?string $pool = null,
    ) {}

    /** The same FPM, through another of its pools. */
    public function pool(string $name): self
    {
        return new self($this->sandbox, $this->server, $name);
    }

    public function run(string $code): mixed
    {
        return $this->end($this->begin($code));
    }

    /**
     * @param array<string, string> $parameters further variables of a web server, such as ['PHP_VALUE' =>
     *         'precision=9']
     */
    public function runWith(string $code, array $parameters): mixed
    {
        return $this->end($this->server->startRequest($this->sandbox->page($code), pool: $this->pool, parameters: $parameters, seconds: 180.0));
    }

    /** Like run(), without waiting: end() returns the answer. */
    public function begin(string $code, float $seconds = 180.0): Process
    {
        return $this->server->startRequest($this->sandbox->page($code), pool: $this->pool, seconds: $seconds);
    }

    public function end(Process $request): mixed
    {
        try {
            $response = $this->server->response($request);
        } catch (ServerFailed $failed) {
            throw new PhpFailed($failed->getMessage(), previous: $failed);
        }

        return Sandbox::answer($response->body, $response->errors);
    }

    /** Starts many requests for the same code, one after the other; their outputs are concatenated. */
    public function beginMany(string $code, int $times): Process
    {
        $loop = 'times=$1; shift; while [ "$times" -gt 0 ]; do "$@" || exit; times=$((times - 1)); done';
        $request = new Process(['sh', '-c', $loop, 'sh', (string) $times, ...$this->server->requestCommand($this->sandbox->page($code), pool: $this->pool)], timeout: 600.0);
        $request->start();

        return $request;
    }

    public function master(): int
    {
        return $this->server->pid() ?? throw new PhpFailed('the master has ended');
    }

    /** @return list<int> */
    public function workers(): array
    {
        return Processes::childrenOf($this->master());
    }

    public function log(): string
    {
        return (string) file_get_contents($this->server->log);
    }
}
