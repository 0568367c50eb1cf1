<?php

declare(strict_types=1);

// What RememberUnderFpmTest asks for: ?dsn=, directory=, do= of what the computation does, and log= to which it adds a
// byte.

use Larder\Cache;

require __DIR__ . '/../../../../vendor/autoload.php';

$ask = static fn(string $name): string => \is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
$cache = Cache::open($ask('dsn'));
$start = microtime(true);
if ($ask('do') === 'session') {
    session_start(['save_path' => $ask('directory'), 'use_cookies' => 0]);
    register_shutdown_function(static function (): void {
        $_SESSION['late'] = 'kept';
    });
}
if (in_array($ask('do'), ['two', 'fatal first'], true)) {
    $cache->remember(
        'first',
        0.3,
        static fn(): string => $ask('do') === 'two' ? 'first' : str_repeat('x', 1 << 40),
        stale: 60,
        lease: 60,
        beta: 0.0,
        jitter: 0.0,
    );
}
// The first value becomes stale soon. Its replacement does not, and has a long lease. Otherwise, another computation
// would begin on a machine that stops for seconds.
$value = $cache->remember(
    'k',
    in_array($ask('do'), ['', 'two'], true) ? 0.3 : 60,
    static function () use ($ask): string {
        file_put_contents($ask('log'), '.', \FILE_APPEND);
        switch ($ask('do')) {
            case 'exit':
                exit('left');
            case 'exhaust':
                return str_repeat('x', 1 << 40);
            case 'slow':
            case 'session':
                // Runs as long as the test wants.
                for ($end = microtime(
                    true,
                ) + 60; !file_exists($ask('directory') . '/go') && microtime(true) < $end; usleep(
                    5_000,
                )) {
                    clearstatcache();
                }
        }

        return 'computed ' . microtime(true);
    },
    stale: 60,
    wait: 25,
    lease: 60,
    beta: 0.0,
    jitter: 0.0,
);
// PHP runs this after the script has ended, when the visitor has the response.
register_shutdown_function(static function () use ($value, $start): void {
    echo json_encode(
        ['value' => $value, 'seconds' => microtime(true) - $start, 'worker' => getmypid()],
        \JSON_THROW_ON_ERROR,
    );
});
