<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

use Psr\Http\Message\ServerRequestInterface as Request;

/**
 * Hides a visitor from code that reads $_SERVER, $_ENV, $_COOKIE and $_REQUEST while a response for all visitors is
 * built. A process that takes requests itself, such as a worker of RoadRunner, has nothing of a visitor there.
 */
final class VisitorGlobals
{
    /** @param list<array<array-key, mixed>> $globals */
    private function __construct(private readonly array $globals) {}

    /** @param list<string> $names of the headers that the response varies by, lower case */
    public static function hide(Request $normalized, array $names, ServerParameters $parameters): self
    {
        $hidden = new self([$_SERVER, $_ENV, $_COOKIE, $_REQUEST]);
        if (isset($_SERVER['REQUEST_METHOD'])) {
            $server = CacheableRequest::serverOfEverybody($_SERVER, $normalized, $names, $parameters);
            $_ENV = CacheableRequest::serverOfEverybody($_ENV, $normalized, $names, $parameters);
            $_SERVER = $server;
            // Without request_order in php.ini it has cookies too, even in the place of the URL's parameters.
            $_REQUEST = array_replace(array_diff_key($_REQUEST, $_COOKIE), array_intersect_key($_GET, $_REQUEST));
            $_COOKIE = [];
        }

        return $hidden;
    }

    public function restore(): void
    {
        [$_SERVER, $_ENV, $_COOKIE, $_REQUEST] = $this->globals;
    }
}
