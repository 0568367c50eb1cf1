<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PhpFpmConnection;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Process\Process;

/**
 * One PHP-FPM worker that serves the pages of RequestPage as in production: opcache is on and does not check
 * timestamps. Both sides use Composer's optimized autoloader, built by lab/figures/unpack-request. Each page begins
 * with the autoloader.
 */
final class RequestRig
{
    public const VALUE = 'x123456789';
    /** Names of missing files, which mark the beginning and the end of the work in strace's output. */
    public const BEGIN = '/no/such/file/begin';
    public const END = '/no/such/file/end';

    /** Requests before a page is measured. After them, opcache has the files, and persistent connections are open. */
    private const WARM_UP = 5;

    /** @var array<string, RedisServer|MemcachedServer|PostgreSqlServer> servers that a page needed, by name */
    private array $servers = [];

    /** @var array<string, true> code that keeps a connection; pages with the same code share it */
    private array $kept = [];

    private function __construct(
        private readonly TemporaryDirectory $directory,
        private readonly PhpFpmServer $fpm,
        private readonly PhpFpmConnection $connection,
    ) {}

    /** @param string|null $engine path of the extension, if PHP's own settings do not load it */
    public static function start(?string $engine = null): self
    {
        (new Process([\dirname(__DIR__) . '/unpack-request']))->mustRun();
        $directory = new TemporaryDirectory('/dev/shm');
        $fpm = PhpFpmServer::start(
            $directory->path . '/fpm',
            ['opcache.enable' => 1, 'opcache.validate_timestamps' => 0, 'opcache.file_update_protection' => 0, 'opcache.max_accelerated_files' => 10_000, ...Engine::settings(), 'larder.path' => $directory->add('engine')],
            $engine === null ? [] : [$engine],
            [new PhpFpmPool()],
        );

        return new self($directory, $fpm, $fpm->connect());
    }

    /**
     * Writes a page, stores its value and warms the page up.
     *
     * @param bool $isOurs false for the peer's side
     * @param bool $isMarked true if strace must find the beginning and the end
     * @return \Closure(): RequestCost requests the page once more
     */
    public function page(RequestPage $page, bool $isOurs, bool $isMarked = false): \Closure
    {
        [$cache, $read, $write] = $isOurs ? [$page->ours, $page->read, $page->write] : [$page->theirs, $page->readTheirs, $page->writeTheirs];
        $autoload = \sprintf('require "%s/var/request/%s/vendor/autoload.php";', \dirname(__DIR__, 3), $isOurs ? 'larder' : 'symfony');
        $open = $cache === '' ? '' : \sprintf('$cache = %s;', $this->withPlaces($cache));
        $mark = static fn(string $file): string => $isMarked ? \sprintf('is_file("%s");', $file) : '';
        $before = $this->sockets();
        $this->request($this->file("$autoload $open $write; \$value = '" . self::VALUE . "'; \$start = \$end = 0;"));
        $file = $this->file("{$mark(self::BEGIN)} \$start = hrtime(true); $autoload $open \$value = $read; \$end = hrtime(true); {$mark(self::END)}");
        $ask = fn(): RequestCost => $this->request($file);
        for ($i = 0; $i < self::WARM_UP; ++$i) {
            $ask();
        }
        if (preg_match('/\{(?:redis|memcached|pgsql)\}/', $cache) === 1 && !isset($this->kept[$cache])) {
            $this->kept[$cache] = $this->sockets() !== $before ? true : throw new \RuntimeException("no connection is kept by $cache");
        }

        return $ask;
    }

    /** The process that serves all requests. */
    public function worker(): int
    {
        return $this->request($this->file("\$value = '" . self::VALUE . "'; \$start = \$end = 0;"))->worker;
    }

    /** @return list<string> open sockets of the worker, by inode; if a later call returns the same, they were kept */
    public function sockets(): array
    {
        $sockets = array_filter(array_map(static fn(string|false $file): string => (string) @readlink((string) $file), (array) glob("/proc/{$this->worker()}/fd/*")), static fn(string $link): bool => str_starts_with($link, 'socket:'));
        sort($sockets);

        return $sockets;
    }

    public function stop(): void
    {
        $this->connection->close();
        $this->fpm->stop();
        foreach ($this->servers as $server) {
            $server->stop();
        }
        $this->directory->remove();
    }

    private function file(string $code): string
    {
        return $this->directory->write(bin2hex(random_bytes(8)) . '.php', "<?php $code echo json_encode(['nanoseconds' => \$end - \$start, 'files' => get_included_files(), 'value' => \$value, 'pid' => getmypid()]);");
    }

    private function request(string $page): RequestCost
    {
        $response = $this->connection->request(PhpFpmServer::parameters($page));
        $said = json_decode($response->body, true);
        if (!\is_array($said) || ($said['value'] ?? null) !== self::VALUE || $response->errors !== '' || !\is_int($said['nanoseconds'] ?? null) || !\is_int($said['pid'] ?? null) || !\is_array($said['files'] ?? null)) {
            throw new \RuntimeException('the page said: ' . $response->body . $response->errors);
        }
        $files = [];
        foreach ($said['files'] as $loaded) {
            if (\is_string($loaded) && $loaded !== $page && preg_match('~/vendor/(?:autoload\.php$|composer/)~', $loaded) !== 1) {
                $files[] = $loaded;
            }
        }

        return new RequestCost($said['nanoseconds'], $files, $said['pid']);
    }

    private function withPlaces(string $code): string
    {
        foreach (['redis' => RedisServer::start(...), 'memcached' => MemcachedServer::start(...), 'pgsql' => PostgreSqlServer::start(...)] as $name => $start) {
            if (str_contains($code, '{' . $name . '}')) {
                $server = $this->servers[$name] ??= $start($this->directory->add($name));
                $code = strtr($code, ['{' . $name . '}' => $server->socket, '{password}' => $server instanceof PostgreSqlServer ? $server->password : '']);
            }
        }

        return str_replace('{folder}', $this->directory->add(bin2hex(random_bytes(4))), $code);
    }
}
