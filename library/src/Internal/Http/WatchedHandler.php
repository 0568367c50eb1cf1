<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

use Psr\Http\Message\ResponseInterface as Response;
use Psr\Http\Message\ServerRequestInterface as Request;
use Psr\Http\Server\RequestHandlerInterface as Handler;

/** The application, and what it last returned or threw. */
final class WatchedHandler implements Handler
{
    public ?Response $response = null;
    public ?\Throwable $exception = null;

    public function __construct(private readonly Handler $handler) {}

    public function handle(Request $request): Response
    {
        $this->response = null;

        try {
            return $this->response = $this->handler->handle($request);
        } catch (\Throwable $exception) {
            $this->exception = $exception;

            throw $exception;
        }
    }
}
