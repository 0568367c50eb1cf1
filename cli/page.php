<?php

declare(strict_types=1);

// The page of a PHP-FPM pool's cache, behind a password, and the agent of `larder keys --fcgi=SOCKET`. The web server
// runs this file in place: docs/operate.md. On the command line it asks for a password, and prints the line for the
// pool's configuration.

use Larder\Cli\Application;
use Larder\Cli\Operator\Agent;
use Larder\Cli\Operator\Login;
use Larder\Cli\Operator\Page;

// Hosts disable it. By a variable, as opcache may have compiled this for a pool that has it, where another one crashes.
$set = 'ini_set';
function_exists($set) && $set('display_errors', '0') !== false;
// The pool may have set it so that this could not change it.
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    (error_reporting() & $level) === 0 || error_log("$message in $file:$line");

    return true;
});

require __DIR__ . '/bin/autoload.php';

if (PHP_SAPI === 'cli') {
    fwrite(STDERR, 'Password: ');
    $isTerminal = stream_isatty(STDIN);
    $isTerminal ? system('stty -echo') : null;
    $password = rtrim((string) fgets(STDIN), "\r\n");
    $isTerminal ? system('stty echo') : null;
    fwrite(STDERR, "\n");
    if (strlen($password) > 72) {
        fwrite(STDERR, "A password has 72 bytes at most: password_hash() takes no more.\n");
        exit(1);
    }
    echo $password === '' ? '' : Login::line($password) . "\n";
    exit($password === '' ? 1 : 0);
}

try {
    $command = Agent::command($_SERVER);
    if ($command === null) {
        Page::answer();
    } else {
        Agent::run($command, new Application());
        exit; // so that nothing follows the answer: no auto_append_file
    }
} catch (Throwable $failure) {
    http_response_code(500);
    error_log((string) $failure);
    echo "This failed: see PHP's log.\n";
}
