<?php

declare(strict_types=1);

use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;

/**
 * Prints how many front pages one worker sends in a second: from our cache, from the same before WordPress loads, and by
 * an advanced-cache.php of one line that prints the same bytes. Twenty requests to each alternate, and the fastest counts.
 */
function measure(PhpFpmServer $fpm, string $script, string $url, string $ours, string $echo, int $rounds = 200): int
{
    $request = PhpFpmServer::parameters($script);
    $request['HTTP_HOST'] = (string) parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
    $request['REQUEST_URI'] = '/';
    // what a browser sends
    $request += ['HTTP_USER_AGENT' => 'Mozilla/5.0', 'HTTP_ACCEPT' => 'text/html', 'HTTP_ACCEPT_LANGUAGE' => 'en'];
    $connection = $fpm->connect();
    $page = '';
    for ($visit = 0; $visit < 3; ++$visit) {
        $answer = $connection->request(['WP_CONTENT_DIR' => $ours] + $request);
        $page = $answer->body;
    }
    if (!str_contains($page, '</html>') || ($answer->headers['cache-status'] ?? '') !== 'Larder; hit') {
        throw new RuntimeException("no hit: $answer->status " . json_encode($answer->headers));
    }
    file_put_contents("$echo/advanced-cache.php", '<?php exit(' . var_export($page, true) . ");\n");
    CpuAffinity::pin();
    $sample = static function (string $content, string $early = '0') use ($connection, $request, $page): float {
        $times = [];
        for ($visit = 0; $visit < 20; ++$visit) {
            $start = hrtime(true);
            $answer = $connection->request(['WP_CONTENT_DIR' => $content, 'LARDER_EARLY' => $early] + $request);
            $times[] = hrtime(true) - $start;
            if ($answer->body !== $page) {
                throw new RuntimeException("another page: $answer->status");
            }
        }

        return (float) min($times); // others of the machine disturb it least
    };
    $times = Timer::interleave([
        'from the cache' => static fn() => $sample($ours),
        'from the cache, before WordPress loads' => static fn() => $sample($ours, '1'),
        'by echo' => static fn() => $sample($echo),
    ], $rounds);
    printf("page of %d bytes; requests/s of one worker, ratio to echo:\n", strlen($page));
    // the interval of the median, by the signs of the rounds
    $half = (int) ceil(0.98 * sqrt($rounds));
    $middle = intdiv($rounds, 2);
    foreach ($times as $name => $some) {
        $ratios = array_map(static fn(float $one, float $two): float => $two / $one, $some, $times['by echo']);
        sort($ratios);
        $median = Statistics::median($ratios);
        $from = $ratios[$middle - $half];
        $to = $ratios[$middle + $half];
        printf("%-40s %6d  %.3f (%.3f to %.3f)\n", $name, 1e9 / Statistics::median($some), $median, $from, $to);
    }

    return 0;
}
