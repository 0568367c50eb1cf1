<?php

/*
 * Asks an application behind PHP-FPM, changes its data, and runs its console.
 */

declare(strict_types=1);

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Process\Process;

require __DIR__ . '/../../vendor/autoload.php';

/** A shop, its server and its console, over one adapter. */
final class Shop
{
    private const ENGINE = __DIR__ . '/../../extension/modules/larder.so';

    private readonly TemporaryDirectory $folder;
    private readonly PhpFpmServer $server;
    private string $cookie = '';

    public function __construct(private readonly string $adapter)
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
        foreach (['', '/memory', '/a', '/b', '/server'] as $name) {
            @mkdir($this->folder->path . $name);
            chmod($this->folder->path . $name, 0o1777);
        }
        (new PDO("sqlite:{$this->folder->path}/orders.sqlite"))->exec('CREATE TABLE orders (count); INSERT INTO orders VALUES (0)');
        chmod("{$this->folder->path}/orders.sqlite", 0o666);
        $this->server = PhpFpmServer::start(
            "{$this->folder->path}/server",
            ['larder.path' => "{$this->folder->path}/memory", 'larder.size' => '16M', 'log_errors' => '1'],
            [self::ENGINE],
            [new PhpFpmPool(user: self::isRoot() ? 'www-data' : null, workers: 2, directives: array_combine(
                array_map(static fn(string $name): string => "env[$name]", array_keys($this->environment())),
                $this->environment(),
            ))],
        );
    }

    public function change(int $number): void
    {
        file_put_contents("{$this->folder->path}/goods", (string) $number);
        (new PDO("sqlite:{$this->folder->path}/orders.sqlite"))->exec("UPDATE orders SET count = $number");
    }

    /** @return array<string, mixed> */
    public function ask(string $query = '', string $release = 'a'): array
    {
        $response = $this->server->request(__DIR__ . '/app/index.php', $query, parameters: [
            'SHOP_RELEASE' => $release,
            'REQUEST_URI' => "/?$query",
            'SCRIPT_NAME' => '/index.php',
            'HTTP_HOST' => 'shop.test',
            'HTTP_COOKIE' => $this->cookie,
        ]);
        foreach ($response->headers as $name => $value) {
            if (strtolower((string) $name) === 'set-cookie') {
                $this->cookie = strtok(is_array($value) ? (string) reset($value) : (string) $value, ';') ?: '';
            }
        }
        $answer = json_decode($response->body, true);

        return is_array($answer) ? $answer : throw new RuntimeException(substr("$response->body $response->errors", 0, 2000));
    }

    public static function isRoot(): bool
    {
        return posix_geteuid() === 0;
    }

    /** @param bool $isUser false for root instead of the web server's user */
    public function console(
        string $command,
        string $release = 'a',
        bool $isUser = true,
        string $script = 'console',
    ): Process {
        $process = new Process(
            [
                ...(self::isRoot() && $isUser ? ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups'] : []),
                PHP_BINARY,
                '-d', 'extension=' . self::ENGINE,
                '-d', "larder.path={$this->folder->path}/memory",
                '-d', 'larder.size=16M',
                '-d', 'apc.enable_cli=1',
                __DIR__ . "/app/$script.php",
                ...array_filter(explode(' ', $command)),
            ],
            env: ['SHOP_RELEASE' => $release] + $this->environment(),
            timeout: 120.0,
        );
        $process->start();

        return $process;
    }

    public function stop(): void
    {
        $this->server->stop();
        $this->folder->remove();
    }

    /** @return array<string, string> */
    private function environment(): array
    {
        return ['SHOP_ADAPTER' => $this->adapter, 'SHOP_DATA' => $this->folder->path, 'LARDER_DSN' => 'larder:'];
    }
}

/**
 * What must be so after each command, by name: true if it is.
 *
 * @return iterable<string, bool>
 */
function rows(Shop $shop): iterable
{
    $number = 1;
    $shop->change($number);
    $shop->ask();
    foreach ([
        'cache:pool:clear shop.pool' => 'goods',
        'cache:pool:delete shop.pool key' => 'goods',
        'cache:pool:invalidate-tags goods' => 'goods',
        'cache:pool:invalidate-tags goods --pool=shop.pool' => 'goods',
        'cache:pool:clear doctrine.pool' => 'orders',
        'cache:pool:clear cache.global_clearer' => 'goods',
        'cache:pool:clear --all' => 'orders',
    ] as $command => $what) {
        $before = $shop->ask()[$what];
        $shop->change(++$number);
        $cached = $shop->ask()[$what];
        $console = $shop->console($command);
        $console->wait();
        $after = $shop->ask();
        yield $command => $console->getExitCode() === 0 && $cached === $before && (string) $after[$what] === (string) $number;
    }

    $worker = $shop->console('messenger:consume jobs --sleep=0.1');
    for ($end = microtime(true) + 20; !str_contains($worker->getOutput() . $worker->getErrorOutput(), 'Consuming') && microtime(true) < $end; usleep(20_000));
    usleep(1_500_000); // a signal of the worker's first second would be ambiguous
    $shop->console('messenger:stop-workers', 'b')->wait();
    for ($end = microtime(true) + 6; $worker->isRunning() && microtime(true) < $end; usleep(20_000));
    $isStopped = !$worker->isRunning();
    $worker->stop(1);
    yield 'messenger:stop-workers, of a new release' => $isStopped;
}

/**
 * During a deployment: an old and a new release, of which each always shows its own form of the right price.
 *
 * @return iterable<string, bool>
 */
function releases(Shop $shop): iterable
{
    $shop->change(7);
    $shop->console('cache:pool:clear --all')->wait();

    try {
        $prices = array_map(static fn(string $release): mixed => $shop->ask('', $release)['price'], ['a', 'b', 'b', 'a', 'a', 'b']);
    } catch (RuntimeException) {
        $prices = [];
    }
    yield 'a class and the options of a pool differ between two releases' => $prices === ['7', 'CHF 7.00', 'CHF 7.00', '7', '7', 'CHF 7.00'];
}

/** @return iterable<string, bool> what the control does not have */
function moreReleases(Shop $shop): iterable
{
    $shop->ask();
    $shop->change(8);
    $clear = $shop->console('cache:clear', 'b');
    $answers = [];
    do {
        ['goods' => $goods, 'price' => $price] = $shop->ask();
        $answers["$goods, $price"] = true;
    } while ($clear->isRunning());
    ['goods' => $goods, 'price' => $price] = $shop->ask('', 'b');
    yield 'cache:clear of the new release while the old one serves' => $clear->getExitCode() === 0
        && array_keys($answers) === ['7, 7'] && "$goods, $price" === '7, CHF 8.00'; // a miss, as the class is another one

    $shop->console('cache:pool:clear shop.pool price.pool', 'b')->wait();
    ['goods' => $goods, 'price' => $price] = $shop->ask();
    yield 'cache:pool:clear of the new release' => "$goods, $price" === '8, 8';
}

/** @return iterable<string, bool> what the control does not have */
function more(Shop $shop): iterable
{
    $prune = $shop->console('cache:pool:prune');
    yield 'cache:pool:prune' => $prune->wait() === 0;

    $limited = array_map(static fn(): Process => $shop->console('', script: 'limit'), range(1, 8));
    $accepted = array_map(static fn(Process $process): int => $process->wait() === 0 ? (int) $process->getOutput() : -1000, $limited);
    yield 'the rate limiter is exact under 8 processes' => array_sum($accepted) === 200;

    yield 'sessions' => [1, 2, 3] === array_map(static fn(): mixed => $shop->ask('session=1')['visits'], [1, 2, 3]);

    $shop->change(100);
    $shop->console('cache:pool:clear --all')->wait();
    $shop->ask();
    $shop->change(101);
    if (Shop::isRoot()) {
        $other = $shop->console('cache:pool:clear shop.pool', isUser: false);
        $other->wait();
        yield 'another user clears nothing, and is warned' => $shop->ask()['goods'] === '100'
            && str_contains($other->getErrorOutput(), 'Each user has a cache of its own');
    }
}

$passed = $failed = 0;
$count = static function (string $what, bool $isSo) use (&$passed, &$failed): void {
    $isSo ? ++$passed : ++$failed;
    echo $isSo ? '' : 'FAILED  ', $what, "\n";
};
$shop = new Shop('cache.adapter.larder');
foreach ([rows($shop), more($shop), releases($shop), moreReleases($shop)] as $rows) {
    foreach ($rows as $what => $isSo) {
        $count($what, $isSo);
    }
}
$shop->stop();
if (extension_loaded('apcu')) {
    $shop = new Shop('cache.adapter.apcu');
    foreach ([rows($shop), releases($shop)] as $rows) {
        foreach ($rows as $what => $isSo) {
            $count("control: APCu, $what", !$isSo);
        }
    }
    $shop->stop();
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
