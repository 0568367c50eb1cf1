<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ApacheServer;
use Larder\Cli\System\Php as PhpProgram;

/** Apache with PHP inside (mod_php), and virtual hosts that one worker serves. */
final class Apache extends Php
{
    private function __construct(
        private readonly Sandbox $sandbox,
        public readonly ApacheServer $server,
    ) {}

    /** True if dev/setup has unpacked Apache's module of this PHP. */
    public static function isInstalled(): bool
    {
        return PhpProgram::unpacked('libphp' . PhpProgram::version()) !== null;
    }

    /**
     * @param array<string, string|int> $settings of PHP
     * @param array<string, string> $hosts content of each virtual host, by name
     */
    public static function start(Sandbox $sandbox, string $engine, array $settings, array $hosts): self
    {
        $root = \dirname($sandbox->page(''));
        $directives = "<Directory $root>\nAllowOverride All\n</Directory>\n";
        foreach ($hosts as $name => $own) {
            $directives .= "<VirtualHost *>\nServerName $name\nDocumentRoot $root\n$own\n</VirtualHost>\n";
        }

        return new self($sandbox, ApacheServer::start($sandbox->folder(), $root, $settings, [$engine], directives: $directives));
    }

    public function run(string $code): mixed
    {
        return $this->ask('localhost', $code);
    }

    /** Sends a request to one of the virtual hosts. */
    public function ask(string $host, string $code): mixed
    {
        $context = stream_context_create(['http' => ['header' => "Host: $host\r\nConnection: close", 'ignore_errors' => true]]);
        $body = @file_get_contents(\sprintf('http://%s:%d/%s', Address::HOST, $this->server->port, basename($this->sandbox->page($code))), false, $context);

        return $body === false ? throw new PhpFailed('Apache did not answer') : Sandbox::answer($body, '');
    }
}
