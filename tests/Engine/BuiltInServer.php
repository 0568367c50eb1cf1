<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;

/** `php -S`: one process for all requests. */
final class BuiltInServer extends Php
{
    private function __construct(
        private readonly Sandbox $sandbox,
        private readonly int $port,
        public readonly ServerProcess $process,
    ) {}

    /** @param list<string> $command PHP and its settings */
    public static function start(Sandbox $sandbox, array $command): self
    {
        $root = \dirname($sandbox->page(''));
        $log = $sandbox->folder() . '/server.log';
        [$process, $port] = Address::onFreePort(static fn(int $port): ServerProcess => ServerProcess::start(
            [...$command, '-S', Address::HOST . ":$port", '-t', $root],
            $log,
            static fn(): bool => str_contains((string) @file_get_contents($log), 'started'),
        ));

        return new self($sandbox, $port, $process);
    }

    public function run(string $code): mixed
    {
        $body = @file_get_contents(\sprintf('http://%s:%d/%s', Address::HOST, $this->port, basename($this->sandbox->page($code))));

        return $body === false ? throw new PhpFailed('the built-in server did not answer') : Sandbox::answer($body, '');
    }
}
