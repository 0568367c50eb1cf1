<?php

declare(strict_types=1);

namespace Larder\Http;

use Psr\Http\Message\ServerRequestInterface;

/**
 * Hides a visitor from code that reads PHP's own $_SERVER and $_COOKIE while a response for everybody is made. A process that
 * takes requests by itself, such as a worker of RoadRunner, has nothing of a visitor there.
 */
final class VisitorGlobals
{
    /**
     * @param array<array-key, mixed> $server
     * @param array<array-key, mixed> $cookies
     */
    private function __construct(private readonly array $server, private readonly array $cookies) {}

    /**
     * @param ServerRequestInterface $normalized of which nothing but what is part of the name stays
     * @param list<string> $names of the headers that the response varies by, lower case
     */
    public static function hide(ServerRequestInterface $normalized, array $names): self
    {
        $hidden = new self($_SERVER, $_COOKIE);
        if (isset($_SERVER['REQUEST_METHOD'])) {
            $_SERVER = CacheableRequest::serverOfEverybody($_SERVER, $normalized, $names);
            $_COOKIE = [];
        }

        return $hidden;
    }

    public function restore(): void
    {
        $_SERVER = $this->server;
        $_COOKIE = $this->cookies;
    }
}
