<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\CpuAffinity;
use Larder\Cli\Php;
use Larder\Cli\Server\Address;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Server\ServerFailed;

/** nginx with PHP-FPM, and the servers that its pages read from. All of it is private, and ends with stop() or this object. */
final class Site
{
    /** As many as a small server has: twice the cores that this was made on. */
    public const WORKERS = 4;

    /** opcache does not keep a script that was changed in the last two seconds. */
    private const AGE = 60;

    /** Requests for a page before it is measured: each worker should have run it. */
    private const WARM_UP = 4 * self::WORKERS;

    private ?string $segment = null;

    /** @var list<string> */
    private array $extensions = [];

    /**
     * @param string $directory of the pages and values
     * @param list<int> $cores that its servers run on; empty where the system does not tell
     */
    private function __construct(
        public readonly string $directory,
        private readonly array $cores,
        public readonly RedisServer $redis,
        public readonly MemcachedServer $memcached,
        public readonly PhpFpmServer $fpm,
        public readonly NginxServer $nginx,
    ) {}

    /**
     * @param string $directory made when missing
     * @param array<string, string> $values that its stores hold, by key
     * @param bool $onOneCore whether all of its servers run on one core, the last that this process may run on
     * @throws ServerFailed
     */
    public static function start(string $directory, array $values, bool $onOneCore = false): self
    {
        $start = static fn(): self => self::startServers($directory);
        $site = $onOneCore ? CpuAffinity::pinned($start) : $start();
        $site->fill($values);

        return $site;
    }

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * Writes the page and asks for it until each worker should have it.
     *
     * @throws HttpFailed when there is no answer; a wrong one is for those to find who measure
     * @throws ServerFailed when the page needs an extension that PHP-FPM has not
     */
    public function add(Page $page): void
    {
        if ($page->extension !== '' && !\in_array($page->extension, $this->extensions, true)) {
            throw new ServerFailed(\sprintf('PHP-FPM has not loaded the extension %s. To add it: %s', $page->extension, $page->extension === 'larder' ? 'make extension (in a clone of Larder)' : "apt-get install php-{$page->extension}"));
        }
        $this->write($page->path(), $page->code);
        file_put_contents($this->bodyFile($page), $page->body);
        $connection = HttpConnection::open($this->nginx->port);
        for ($i = 0; $i < self::WARM_UP; ++$i) {
            $connection->get($page->path());
        }
        $connection->close();
    }

    public function url(Page $page): string
    {
        return \sprintf('http://%s:%d%s', Address::HOST, $this->nginx->port, $page->path());
    }

    /** The file that holds what the page must answer with. */
    public function bodyFile(Page $page): string
    {
        return \sprintf('%s%s.body', $this->directory, $page->path());
    }

    /** @return array<string, string> what tells its rows from those of another site */
    public function settings(): array
    {
        return ['cores' => (string) max(1, \count($this->cores))];
    }

    /** For people. */
    public function description(): string
    {
        return \sprintf('nginx %s, PHP-FPM %s with %d static workers, Redis %s, memcached %s', $this->nginx->version, $this->fpm->version, self::WORKERS, $this->redis->version, $this->memcached->version);
    }

    /**
     * The command, run on the same cores, for those who ask it.
     *
     * @return list<string>
     */
    public function on(string ...$command): array
    {
        return array_values(\count($this->cores) === 1 ? ['taskset', '--cpu-list', (string) $this->cores[0], ...$command] : $command);
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->fpm->stop();
        $this->redis->stop();
        $this->memcached->stop();
        if ($this->segment !== null) {
            @unlink($this->segment); // it has no directory to be removed with
            $this->segment = null;
        }
    }

    private static function startServers(string $directory): self
    {
        $redis = RedisServer::start($directory . '/redis');
        $memcached = MemcachedServer::start($directory . '/memcached');
        $engine = getenv(Php::ENGINE_VARIABLE);
        $fpm = PhpFpmServer::start(
            $directory . '/fpm',
            ['larder.segment' => 'http-' . bin2hex(random_bytes(6))],
            $engine === false ? [] : [$engine],
            [new PhpFpmPool(workers: self::WORKERS)],
        );
        $nginx = NginxServer::start($directory . '/nginx', $directory, $fpm->socket);

        return new self($directory, CpuAffinity::allowed(), $redis, $memcached, $fpm, $nginx);
    }

    /** @param array<string, string> $values */
    private function fill(array $values): void
    {
        foreach ($values as $key => $value) {
            file_put_contents(\sprintf('%s/%s.value', $this->directory, $key), $value);
        }
        $this->write(Filling::PATH, Filling::code($this->directory, $this->redis, $this->memcached));
        $connection = HttpConnection::open($this->nginx->port);
        $answer = $connection->get(Filling::PATH);
        $connection->close();
        /** @var array{extensions: list<string>, segment: ?string}|null $told */
        $told = json_decode($answer->body, true);
        if ($answer->status !== 200 || $told === null) {
            throw new ServerFailed(\sprintf('the stores could not be filled: status %d, %s', $answer->status, substr($answer->body, 0, 500)));
        }
        ['extensions' => $this->extensions, 'segment' => $this->segment] = $told;
    }

    private function write(string $path, string $code): void
    {
        file_put_contents($this->directory . $path, "<?php\n" . $code . "\n");
        touch($this->directory . $path, time() - self::AGE);
    }
}
