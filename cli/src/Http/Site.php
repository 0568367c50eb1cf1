<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ApacheServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;

/**
 * A web server with PHP, and the servers that its pages read from. All are private, and end with stop() or with this
 * object.
 */
final class Site
{
    /** Setting of rows whose servers and load generator share one core. */
    public const ONE_CORE = ['cores' => 'one core'];

    /** Seconds to date a script back: opcache does not cache a script that was changed in the last two seconds. */
    private const AGE = 60;

    /** Requests for a page before it is measured, per worker, so that each worker should have run it. */
    private const WARM_UP = 4;

    /** File of the engine's segment, which is in no directory of the run. */
    private ?string $segment = null;

    /** @var list<string> */
    private array $extensions = [];

    /**
     * @param string $directory of the pages and values
     * @param list<int> $cores cores that its servers run on; empty if the system does not report them
     * @param string $server the servers, for display
     * @param \Closure(): void $stop ends the web server
     */
    private function __construct(
        public readonly string $directory,
        private readonly array $cores,
        public readonly RedisServer $redis,
        public readonly MemcachedServer $memcached,
        private readonly int $workers,
        public readonly int $port,
        private readonly string $server,
        private readonly \Closure $stop,
    ) {}

    /**
     * A site with nginx and PHP-FPM.
     *
     * @param string $directory made when missing
     * @param array<string, string> $values that its stores hold, by key
     * @param positive-int $workers of PHP-FPM
     * @param bool $onOneCore true if all of its servers run on one core, the last that this process may use
     * @throws ServerFailed
     * @throws HttpFailed
     */
    public static function behindNginx(string $directory, array $values, int $workers, bool $onOneCore = false): self
    {
        $start = static function () use ($directory, $workers): self {
            $redis = RedisServer::start($directory . '/redis');
            $memcached = MemcachedServer::start($directory . '/memcached');
            $fpm = PhpFpmServer::start($directory . '/fpm', self::ini(), self::engine(), [
                new PhpFpmPool(workers: $workers),
            ]);
            $nginx = NginxServer::start($directory . '/nginx', $directory, $fpm->socket);
            $server = \sprintf(
                'nginx %s and PHP-FPM with %d static worker%s',
                $nginx->version,
                $workers,
                $workers === 1 ? '' : 's',
            );

            return new self(
                $directory,
                CpuAffinity::allowed(),
                $redis,
                $memcached,
                $workers,
                $nginx->port,
                $server,
                static function () use ($nginx, $fpm): void {
                    $nginx->stop();
                    $fpm->stop();
                },
            );
        };
        $site = $onOneCore ? CpuAffinity::pinned($start) : $start();
        if ($onOneCore && \count($site->cores) !== 1) {
            throw new ServerFailed(
                'the servers cannot be kept to one core: taskset is missing. To add it: apt-get install util-linux',
            );
        }
        $site->fill($values);

        return $site;
    }

    /**
     * A site with Apache, its PHP module and one worker.
     *
     * @param string $directory that the workers' user can read, see ApacheServer
     * @param array<string, string> $values that its stores hold, by key
     * @throws ServerFailed
     * @throws HttpFailed
     */
    public static function underApache(string $directory, array $values): self
    {
        $redis = RedisServer::start($directory . '/redis');
        $memcached = MemcachedServer::start($directory . '/memcached');
        $apache = ApacheServer::start($directory . '/apache', $directory, self::ini(), self::engine());
        $server = \sprintf('Apache %s, prefork, one worker', $apache->version);
        $site = new self(
            $directory,
            CpuAffinity::allowed(),
            $redis,
            $memcached,
            1,
            $apache->port,
            $server,
            $apache->stop(...),
        );
        $site->fill($values);

        return $site;
    }

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * Writes the page, and requests it until each worker should have run it.
     *
     * @throws HttpFailed if there is no answer; the caller checks whether it is right
     * @throws ServerFailed if the page needs an extension that is not loaded
     */
    public function add(Page $page): void
    {
        if ($page->extension !== '' && !\in_array($page->extension, $this->extensions, true)) {
            throw new ServerFailed(\sprintf(
                'the PHP of the web server has not loaded the extension %s. To add it: %s',
                $page->extension,
                $page->extension === 'larder'
                    ? 'make extension (in a clone of Larder)'
                    : "apt-get install php-{$page->extension}",
            ));
        }
        $this->write($page->path(), $page->code);
        file_put_contents($this->bodyFile($page), $page->body);
        $connection = HttpConnection::open($this->port);
        for ($i = 0; $i < self::WARM_UP * $this->workers; ++$i) {
            $connection->get($page->path());
        }
        $connection->close();
    }

    public function url(Page $page): string
    {
        return \sprintf('http://%s:%d%s', Address::HOST, $this->port, $page->path());
    }

    /** File with the expected body of the page. */
    public function bodyFile(Page $page): string
    {
        return \sprintf('%s%s.body', $this->directory, $page->path());
    }

    /** @return array<string, string> settings that distinguish its rows from those of another site */
    public function settings(): array
    {
        return \count($this->cores) === 1 ? self::ONE_CORE : [];
    }

    /** The site, for display. */
    public function description(): string
    {
        return \sprintf('%s; Redis %s, memcached %s', $this->server, $this->redis->version, $this->memcached->version);
    }

    /**
     * Wraps a command so that it runs on the same cores.
     *
     * @return list<string>
     */
    public function on(string ...$command): array
    {
        return array_values(
            \count($this->cores) === 1 ? ['taskset', '--cpu-list', (string) $this->cores[0], ...$command] : $command,
        );
    }

    public function stop(): void
    {
        ($this->stop)();
        $this->redis->stop();
        $this->memcached->stop();
        if ($this->segment !== null) {
            @unlink($this->segment);
            $this->segment = null;
        }
    }

    /**
     * @return array<string, string> the settings of php.ini-production, so that both servers have them, and a separate
     *         segment
     */
    private static function ini(): array
    {
        return [
            'display_errors' => '0',
            'error_reporting' => (string) (\E_ALL & ~\E_DEPRECATED),
            'output_buffering' => '4096',
            'larder.segment' => 'http-' . bin2hex(random_bytes(6)),
        ];
    }

    /** @return list<string> */
    private static function engine(): array
    {
        $engine = getenv(Php::ENGINE_VARIABLE);

        return $engine === false ? [] : [$engine];
    }

    /** @param array<string, string> $values */
    private function fill(array $values): void
    {
        foreach ($values as $key => $value) {
            file_put_contents(\sprintf('%s/%s.value', $this->directory, $key), $value);
        }
        $this->write(Filling::PATH, Filling::code($this->directory, $this->redis, $this->memcached));
        $connection = HttpConnection::open($this->port);
        $answer = $connection->get(Filling::PATH);
        $connection->close();
        /** @var array{extensions: list<string>, segment: ?string}|null $told */
        $told = json_decode($answer->body, true);
        if ($answer->status !== 200 || $told === null) {
            throw new ServerFailed(\sprintf(
                'the stores could not be filled: status %d, %s',
                $answer->status,
                substr($answer->body, 0, 500),
            ));
        }
        ['extensions' => $this->extensions, 'segment' => $this->segment] = $told;
    }

    private function write(string $path, string $code): void
    {
        file_put_contents($this->directory . $path, "<?php\n" . $code . "\n");
        touch($this->directory . $path, time() - self::AGE);
    }
}
