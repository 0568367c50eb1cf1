<?php

// A page of news behind the response cache, visited by NewsTest: it greets a user who has logged in, and shows the
// browser.

declare(strict_types=1);

use Larder\Cache;
use Larder\Http\ResponseCache;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7Server\ServerRequestCreator;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

require dirname(__DIR__, 3) . '/vendor/autoload.php';

$factory = new Psr17Factory();
$news = new class implements RequestHandlerInterface {
    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        if ($request->getMethod() === 'POST') {
            $sent = $request->getParsedBody();
            setcookie('visitor', is_array($sent) && is_string($sent['visitor'] ?? null) ? $sent['visitor'] : '');

            return new Response(303, ['Location' => 'news.php']);
        }
        $text = static fn(mixed $value): string => htmlspecialchars(is_string($value) ? $value : '');

        // Browsers ask each time; the response cache stores it for all.
        return new Response(200, ['Cache-Control' => 's-maxage=600, max-age=0', 'Vary' => 'Cookie', 'Content-Type' => 'text/html; charset=UTF-8'], sprintf(
            <<<'HTML'
                <!DOCTYPE html>
                <html lang="en">
                <title>News</title>
                <p id="visitor">%s</p>
                <p id="browser">%s</p>
                <p id="made">%d</p>
                <form method="post"><input name="visitor"><button>Log in</button></form>
                </html>
                HTML,
            $text($request->getCookieParams()['visitor'] ?? ''),
            $text($_SERVER['HTTP_USER_AGENT'] ?? ''),
            hrtime(true),
        ));
    }
};

$host = is_string($_SERVER['HTTP_HOST'] ?? null) ? $_SERVER['HTTP_HOST'] : '';
// only a test may accept any host
$middleware = new ResponseCache(Cache::open((string) getenv('STORE')), $factory, $factory, $factory, [$host]);
$response = $middleware->process((new ServerRequestCreator($factory, $factory, $factory, $factory))->fromGlobals(), $news);

http_response_code($response->getStatusCode());
foreach ($response->getHeaders() as $name => $values) {
    foreach ($values as $value) {
        header("$name: $value", false);
    }
}
echo $response->getBody();
