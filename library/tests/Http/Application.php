<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** What stands behind the middleware: answers as it is told, and counts how often it is asked. */
final class Application implements RequestHandlerInterface
{
    public int $calls = 0;

    /** @param \Closure(ServerRequestInterface, int): ResponseInterface $answer is given the number of the call too */
    public function __construct(private readonly \Closure $answer) {}

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return ($this->answer)($request, ++$this->calls);
    }
}
