<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Process;

/** php-cgi as started by a web server: a process for each request. */
final class Cgi extends Php
{
    /** @param list<string> $command */
    public function __construct(
        private readonly Sandbox $sandbox,
        private readonly array $command,
    ) {}

    public function run(string $code): mixed
    {
        $request = new Process(TiedProcess::toThisProcess($this->command), null, [
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => '', 'REDIRECT_STATUS' => '200',
            'SCRIPT_FILENAME' => $this->sandbox->page($code),
        ], timeout: 300);
        $request->run();
        [, $body] = [...explode("\r\n\r\n", $request->getOutput(), 2), ''];

        return Sandbox::answer($body, $request->getErrorOutput());
    }
}
