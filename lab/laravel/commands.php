<?php

declare(strict_types=1);

/*
 * Tests that artisan's commands change what the next request of the same user sees, in an application behind PHP-FPM.
 * The control is the same over APCu, where none does. Another user is warned.
 *
 *     php lab/laravel/commands.php AUTOLOADER ENGINE|''     the path of the engine, if PHP does not load it
 */

use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

require $argv[1];

/** An application with a server and a shell. */
final readonly class Application
{
    private const SCRIPT = __DIR__ . '/index.php';

    /** @var array<string, string> */
    private array $environment;

    private PhpFpmServer $server;

    /** @param list<string> $options of PHP, on the web and in the shell */
    public function __construct(private TemporaryDirectory $home, string $store, private array $options, string $key)
    {
        foreach (['bootstrap/cache', 'config', 'storage/framework/cache', 'storage/framework/views', 'storage/logs'] as $folder) {
            (new Filesystem())->mkdir("$home->path/$folder");
        }
        file_put_contents("$home->path/bootstrap/app.php", '<?php return require ' . var_export(__DIR__ . '/application.php', true) . ';');
        file_put_contents("$home->path/config/cache.php", "<?php return ['stores' => ['apc' => ['driver' => 'apc'], 'sessions' => ['driver' => 'larder', 'dsn' => 'file://$home->path/sessions']]];");
        $this->environment = [
            'APP_HOME' => $home->path, 'APP_KEY' => 'base64:' . base64_encode(hash('sha256', $key, true)),
            'COMPOSER_VENDOR_DIR' => (string) realpath(__DIR__ . '/../../var/laravel/vendor'), 'CACHE_STORE' => $store,
            'APP_MAINTENANCE_DRIVER' => 'cache', 'APP_MAINTENANCE_STORE' => $store, 'SESSION_DRIVER' => 'larder',
            'SESSION_STORE' => 'sessions', 'QUEUE_CONNECTION' => 'sync', 'LOG_CHANNEL' => 'errorlog', 'APP_DEBUG' => '1',
        ];
        $ini = $extensions = [];
        foreach ($options as $option) {
            [$name, $value] = explode('=', $option, 2);
            $name === 'extension' ? $extensions[] = $value : $ini[$name] = $value;
        }
        $this->server = PhpFpmServer::start($home->add('fpm'), $ini, $extensions);
    }

    /** @return array{int, mixed} status, and what the page says */
    public function ask(string $do): array
    {
        $answer = $this->request("/?do=$do", "do=$do");

        return [$answer->status, json_decode($answer->body, true) ?? substr($answer->body . $answer->errors, 0, 1000)];
    }

    public function request(string $uri, string $query = '', string $cookie = ''): PhpFpmResponse
    {
        $parameters = ['REQUEST_URI' => $uri, 'SCRIPT_NAME' => '/index.php', 'HTTP_HOST' => 'localhost', 'HTTP_ACCEPT' => 'application/json', 'HTTP_COOKIE' => $cookie];

        return $this->server->request(self::SCRIPT, $query, parameters: [...$this->environment, ...$parameters]);
    }

    public function artisan(string $command): Process
    {
        $options = array_merge(...array_map(static fn(string $option): array => ['-d', $option], $this->options));
        $process = new Process([\PHP_BINARY, ...$options, self::SCRIPT, ...explode(' ', $command)], env: $this->environment);
        $process->run();

        return $process;
    }

    public function stop(): void
    {
        $this->server->stop();
    }
}

[$passed, $failed, $skipped] = [0, 0, 0];
$expect = static function (string $what, bool $isSo, mixed $said = null) use (&$passed, &$failed): void {
    ++${$isSo ? 'passed' : 'failed'};
    echo $isSo ? 'ok     ' : 'FAILED ', $what, $isSo ? '' : ': ' . json_encode($said, \JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
};

/** Commands, and how the page changes, from what it said before. */
$commands = [
    'cache:forget forgotten' => static fn(array $was, array $is): bool => $was['forgotten'] === 'forgotten' && $is['forgotten'] === null && $is['kept'] === 'kept',
    'cache:clear --tags=shop' => static fn(array $was, array $is): bool => $was['tagged'] === 'tagged' && $is['tagged'] === null && $is['kept'] === 'kept',
    'queue:restart' => static fn(array $was, array $is): bool => $was['restart'] !== $is['restart'],
    'queue:pause default' => static fn(array $was, array $is): bool => $was['paused'] === null && $is['paused'] !== null,
    'queue:resume default' => static fn(array $was, array $is): bool => $was['paused'] !== null && $is['paused'] === null,
    'schedule:interrupt' => static fn(array $was, array $is): bool => $was['interrupt'] === null && $is['interrupt'] !== null,
    'schedule:clear-cache' => static fn(array $was, array $is): bool => $was['mutex'] === true && $is['mutex'] === false,
    ...(is_file(__DIR__ . '/../../var/laravel/vendor/laravel/framework/src/Illuminate/Contracts/Cache/CanFlushLocks.php') ? [
        'cache:clear --locks' => static fn(array $was, array $is): bool => $was['mutex'] === true && $is['mutex'] === false && $is['kept'] === 'kept',
    ] : []), // since Laravel 13
    'cache:clear' => static fn(array $was, array $is): bool => $was['kept'] === 'kept' && $is['kept'] === null,
    'optimize:clear' => static fn(array $was, array $is): bool => $was['kept'] === 'kept' && $is['kept'] === null,
];
$memory = new TemporaryDirectory('/dev/shm');
chmod($memory->path, 0711);
$engine = ['larder.path=' . $memory->add('engine'), ...($argv[2] === '' ? [] : ["extension=$argv[2]"])];
foreach (['larder' => $engine, 'apc' => ['apc.enable_cli=1']] as $store => $options) {
    $home = new TemporaryDirectory('/dev/shm');
    $application = new Application($home, $store, $options, 'one');
    $name = $store === 'apc' ? 'control: APCu does not notice' : 'the next request notices';
    try {
        $application->artisan('queue:restart'); // so that each restart has a time before it
        foreach ($commands as $command => $isRight) {
            if ($store === 'apc' && str_ends_with($command, '--locks')) {
                continue; // it has none
            }
            $put = $application->ask('put');
            [, $was] = $application->ask('read');
            usleep(1_100_000 * (int) ($command === 'queue:restart')); // its time has seconds
            $process = $application->artisan($command);
            [$status, $is] = $application->ask('read');
            $isSeen = $status === 200 && is_array($was) && is_array($is) && $isRight($was, $is);
            $expect("$name $command", $process->isSuccessful() && $isSeen === ($store !== 'apc'), [$put, $was, $is, $process->getOutput() . $process->getErrorOutput()]);
        }
        $statuses = [$application->artisan('down')->getExitCode(), ($down = $application->ask('read'))[0], $application->artisan('up')->getExitCode(), $application->ask('read')[0]];
        $expect("$name down and up", $statuses === [0, $store === 'apc' ? 200 : 503, 0, 200], [$statuses, $down]);
        if ($store === 'apc') {
            continue;
        }
        $cookie = '';
        for ($count = 1; $count <= 3; ++$count) {
            $answer = $application->request('/session', cookie: $cookie);
            $cookie = substr($answer->headers['set-cookie'] ?? '', 0, (int) strpos($answer->headers['set-cookie'] ?? '', ';'));
            $expect("request $count of a session", $answer->body === "[$count]", $answer->body . $answer->errors);
        }
        $prune = $application->artisan('cache:prune-stale-tags');
        $expect('cache:prune-stale-tags succeeds', $prune->isSuccessful(), $prune->getOutput());
        $config = $application->artisan('config:cache');
        $expect('config:cache succeeds, and its result serves requests', $config->isSuccessful() && $application->ask('read')[0] === 200, $config->getOutput());
        $application->artisan('config:clear');

        $application->ask('put');
        $folder = new TemporaryDirectory('/dev/shm');
        $other = new Application($folder, $store, $options, 'another');
        $same = $other->ask('read')[1];
        $other->ask('put');
        $cleared = $other->artisan('cache:clear')->isSuccessful() && $other->ask('read')[1]['kept'] === null;
        $expect('another application of the user shares nothing, and clears only its own', $cleared && $same['kept'] === null && $application->ask('read')[1]['kept'] === 'kept', $same);
        $other->stop();

        if (posix_geteuid() !== 0) {
            ++$skipped;
            echo "skipped other users: needs root\n";
            continue;
        }
        foreach (['cache:clear', 'queue:restart', 'schedule:interrupt', 'down'] as $command) {
            $folder = $memory->add("of-$command");
            chmod($folder, 01777);
            $shared = array_merge(["larder.path=$folder"], array_slice($options, 1));
            $ofRoot = new Application(new TemporaryDirectory('/dev/shm'), $store, $shared, 'one');
            $is = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
            $arguments = array_merge(...array_map(static fn(string $option): array => ['-d', $option], $shared));
            (new Process([...$is, \PHP_BINARY, ...$arguments, '-r', 'larder_store("of the web server", 1) || exit(1);'], '/'))->mustRun();
            $said = $ofRoot->artisan($command);
            $expect("another user is warned at $command", str_contains($said->getErrorOutput(), 'Each user has a cache of its own'), $said->getOutput() . $said->getErrorOutput());
            $ofRoot->stop();
        }
    } finally {
        $application->stop();
    }
}
echo "$passed passed, $failed failed", $skipped > 0 ? ", $skipped skipped" : '', "\n";
exit($failed === 0 ? 0 : 1);
