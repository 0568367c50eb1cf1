<?php

// A site behind the middleware, as WebServerTest asks for it: "is" says what a page does, "n" is one of many URLs that
// do so.

declare(strict_types=1);

use Larder\Cache;
use Larder\Http\ResponseCache;
use Larder\Tests\Http\Application;
use Larder\Tests\Http\PlainStore;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7Server\ServerRequestCreator;
use Psr\Http\Message\ServerRequestInterface;

require dirname(__DIR__, 4) . '/vendor/autoload.php';

final class Headers
{
    public function header(): void
    {
        header('Set-Cookie: sid=' . bin2hex(random_bytes(8)));
    }
}

$_SERVER['SET_EARLIER'] = $_ENV['SET_EARLIER'] = 'by the application'; // as from a file .env
$folder = (string) getenv('SITE');
ini_set('session.save_path', $folder);
$factory = new Psr17Factory();
$query = is_string($_SERVER['QUERY_STRING'] ?? null) ? $_SERVER['QUERY_STRING'] : '';
$calls = $folder . '/calls-' . md5($query);
parse_str($query, $asked);
$is = is_string($asked['is'] ?? null) ? $asked['is'] : '';

$application = new Application(static function (ServerRequestInterface $request) use ($folder, $calls, $is): Response {
    file_put_contents($calls, 'x', FILE_APPEND | LOCK_EX);
    $headers = ['Cache-Control' => 'max-age=60', 'Content-Type' => 'text/plain; charset=UTF-8'];
    $body = 'made at ' . hrtime(true);
    if (str_starts_with($is, 'later-')) {
        $headers['Cache-Control'] = 'max-age=1, stale-while-revalidate=600';
        $headers['Vary'] = 'Accept-Language'; // is among PHP's headers when the page is made again
        $is = is_file("$folder/later") ? substr($is, strlen('later-')) : '';
    }

    switch ($is) {
        case 'seen':
            $body = json_encode([
                $request->getHeaders(), $request->getServerParams(), $request->getCookieParams(), $_SERVER, $_ENV,
                $_COOKIE, $_REQUEST,
            ], JSON_THROW_ON_ERROR);
            break;
        case 'varies':
            $headers['Vary'] = 'Accept-Language';
            $native = $_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? '';
            $body = 'in ' . $request->getHeaderLine('Accept-Language') . (is_string($native) ? $native : '');
            break;
        case 'session':
            session_start();
            break;
        case 'closed':
            session_start();
            session_write_close();
            break;
        case 'nocookie':
            session_start(['use_cookies' => 0, 'cache_limiter' => '']);
            session_write_close();
            break;
        case 'cookie':
            setcookie('sid', bin2hex(random_bytes(8)));
            break;
        case 'silenced':
            @setcookie('sid', bin2hex(random_bytes(8)));
            break;
        case 'own-handler':
            set_error_handler(static fn(): bool => true);
            setcookie('sid', bin2hex(random_bytes(8)));
            break;
        case 'method':
            (new Headers())->header();
            break;
        case 'private':
            header('Cache-Control: max-age=60, private');
            break;
        case 'network':
            header('CDN-Cache-Control: max-age=60, no-store');
            break;
        case 'surrogate':
            header('Surrogate-Control: no-store');
            break;
        case 'native-accel':
            header('X-Accel-Expires: 0');
            break;
        case 'vary':
            header('Vary: *');
            break;
        case 'languages':
            header('Vary: Accept-Encoding, Accept-Language');
            break;
        case 'psr-cookie':
            $headers['Set-Cookie'] = 'sid=' . bin2hex(random_bytes(8));
            break;
        case 'psr-private':
            $headers['Cache-Control'] = 'max-age=60, private';
            break;
        case 'accel':
            $headers['X-Accel-Expires'] = '0';
            break;
    }

    return new Response(200, $headers, $body);
});

$store = 'file://' . $folder . '/cache';
$cache = getenv('PLAIN') === false ? Cache::open($store) : new Cache(new PlainStore(Cache::open($store)->store()));
$port = is_string($_SERVER['SERVER_PORT'] ?? null) ? $_SERVER['SERVER_PORT'] : '';
$middleware = new ResponseCache($cache, $factory, $factory, $factory, [
    "shop.example:$port",
], ['_ga*'], maxVariants: 4, serverParams: ['APP_*']);
$response = $middleware->process(
    (new ServerRequestCreator($factory, $factory, $factory, $factory))->fromGlobals(),
    $application,
);

http_response_code($response->getStatusCode());
header_remove('X-Powered-By');
foreach ($response->getHeaders() as $name => $values) {
    foreach ($values as $value) {
        header("$name: $value", false);
    }
}
echo $response->getBody();
