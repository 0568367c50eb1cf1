<?php

declare(strict_types=1);

namespace Larder\Http;

use Psr\Http\Message\ServerRequestInterface;

/**
 * Hides a visitor from code that reads PHP's own $_SERVER, $_ENV, $_COOKIE and $_REQUEST while a response for everybody is made.
 * A process that takes requests by itself, such as a worker of RoadRunner, has nothing of a visitor there.
 */
final class VisitorGlobals
{
    /**
     * @param array<array-key, mixed> $server
     * @param array<array-key, mixed> $environment
     * @param array<array-key, mixed> $cookies
     * @param array<array-key, mixed> $parameters
     */
    private function __construct(private readonly array $server, private readonly array $environment, private readonly array $cookies, private readonly array $parameters) {}

    /**
     * @param ServerRequestInterface $normalized of which nothing but what is part of the name stays
     * @param list<string> $names of the headers that the response varies by, lower case
     */
    public static function hide(ServerRequestInterface $normalized, array $names, ServerParameters $parameters): self
    {
        $hidden = new self($_SERVER, $_ENV, $_COOKIE, $_REQUEST);
        if (isset($_SERVER['REQUEST_METHOD'])) {
            $server = CacheableRequest::serverOfEverybody($_SERVER, $normalized, $names, $parameters);
            $_ENV = CacheableRequest::serverOfEverybody($_ENV, $normalized, $names, $parameters);
            $_SERVER = $server;
            // Without request_order in php.ini, cookies are in it, before or in the place of what the URL says.
            $_REQUEST = array_replace(array_diff_key($_REQUEST, $_COOKIE), array_intersect_key($_GET, $_REQUEST));
            $_COOKIE = [];
        }

        return $hidden;
    }

    public function restore(): void
    {
        $_SERVER = $this->server;
        $_ENV = $this->environment;
        $_COOKIE = $this->cookies;
        $_REQUEST = $this->parameters;
    }
}
