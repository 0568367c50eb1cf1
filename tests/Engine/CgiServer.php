<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use Symfony\Component\Process\Process;

/** php-cgi as a FastCGI server. */
final class CgiServer extends Php
{
    private function __construct(
        private readonly Sandbox $sandbox,
        private readonly string $socket,
        public readonly ServerProcess $process,
    ) {}

    /** @param list<string> $command php-cgi and its settings */
    public static function start(Sandbox $sandbox, array $command, int $children): self
    {
        $socket = Address::socket($sandbox->folder(), 'cgi');

        return new self($sandbox, $socket, ServerProcess::start(
            [...$command, '-b', $socket],
            "$socket.log",
            static fn(): bool => Address::says($socket, '', ''),
            deathSignal: 'TERM',
            // the default ends it after 500
            environment: ['PHP_FCGI_CHILDREN' => (string) $children, 'PHP_FCGI_MAX_REQUESTS' => '100000'],
        ));
    }

    public function run(string $code): mixed
    {
        return $this->end($this->begin($code));
    }

    /**
     * @param array<string, string> $parameters further variables of a web server, such as ['SERVER_NAME' =>
     *         'example.com']
     */
    public function runWith(string $code, array $parameters): mixed
    {
        return $this->end($this->begin($code, $parameters));
    }

    /**
     * Like run(), without waiting: end() returns the answer.
     *
     * @param array<string, string> $parameters
     */
    public function begin(string $code, array $parameters = []): Process
    {
        $request = new Process([
            'env', '-i', 'GATEWAY_INTERFACE=CGI/1.1', 'REQUEST_METHOD=GET', 'QUERY_STRING=', 'SCRIPT_FILENAME=' . $this->sandbox->page($code),
            ...array_map(static fn(string $name, string $value): string => "$name=$value", array_keys($parameters), $parameters),
            Executable::find(['cgi-fcgi'], 'libfcgi-bin')->path, '-bind', '-connect', $this->socket,
        ], timeout: 300);
        $request->start();

        return $request;
    }

    public function end(Process $request): mixed
    {
        $request->wait();
        [, $body] = [...explode("\r\n\r\n", $request->getOutput(), 2), ''];

        return Sandbox::answer($body, $request->getErrorOutput());
    }
}
