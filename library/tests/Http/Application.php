<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** The application behind the middleware: gives a chosen answer, and counts its calls. */
final class Application implements RequestHandlerInterface
{
    public int $calls = 0;

    /** @param \Closure(ServerRequestInterface, int): ResponseInterface $answer also gets the number of the call */
    public function __construct(private readonly \Closure $answer) {}

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return ($this->answer)($request, ++$this->calls);
    }
}
