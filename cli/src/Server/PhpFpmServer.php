<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Symfony\Component\Process\Process;

/**
 * PHP-FPM with pools of its own, each on a Unix socket. A pool can only listen at one address, and other users of the
 * machine cannot reach a socket, so there is no port. Requests are sent by libfcgi's cgi-fcgi.
 */
final class PhpFpmServer
{
    /**
     * @param array<string, string> $sockets by pool
     */
    private function __construct(
        private readonly ServerProcess $process,
        private readonly Executable $client,
        private readonly array $sockets,
        public readonly string $socket,
        public readonly string $log,
    ) {}

    /**
     * Uses the system's settings for FPM (its php.ini and conf.d), overridden by these.
     *
     * @param string $directory for configuration, sockets and log; created if missing
     * @param array<string, string|int> $ini settings of the master, as by php-fpm -d; they apply to every pool
     * @param list<string> $extensions paths or names, loaded as by extension=
     * @param non-empty-list<PhpFpmPool> $pools the first one is the default of requests
     * @param list<string> $through a command that replaces itself by the command after it, such as ['nice', '-n', '5']
     *         or ['setpriv', '--reuid', 'www-data', '--pdeathsig', 'TERM']. (A change of user clears the signal that
     *         ends the server together with its starter.)
     * @throws ServerFailed
     */
    public static function start(
        string $directory,
        array $ini = [],
        array $extensions = [],
        array $pools = [new PhpFpmPool()],
        array $through = [],
    ): self {
        $version = \sprintf('%d.%d', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
        $executable = Executable::find(['php-fpm' . $version, 'php-fpm'], \sprintf('php%s-fpm', $version));
        $client = Executable::find(['cgi-fcgi'], 'libfcgi-bin');
        $sockets = [];
        foreach ($pools as $pool) {
            $sockets[$pool->name] = Address::socket($directory, 'fpm-' . $pool->name);
        }
        $socket = $sockets[$pools[0]->name];
        $home = \dirname($socket);
        $configuration = "[global]\ndaemonize = no\nerror_log = $home/fpm.log\n";
        foreach ($pools as $pool) {
            $configuration .= $pool->configuration($sockets[$pool->name]);
        }
        file_put_contents($home . '/fpm.conf', $configuration);
        $settings = [];
        foreach ($ini as $setting => $value) {
            array_push($settings, '-d', $setting . '=' . $value);
        }
        foreach ($extensions as $extension) {
            array_push($settings, '-d', 'extension=' . $extension);
        }
        $process = ServerProcess::start(
            [
                ...$through,
                $executable->path,
                '--nodaemonize',
                '--fpm-config',
                $home . '/fpm.conf',
                ...(posix_geteuid() === 0 ? ['--allow-to-run-as-root'] : []),
                ...$settings,
            ],
            $home . '/fpm.log',
            // The master listens for all pools before it forks the first worker.
            static fn(): bool => Address::says($socket, '', ''),
            deathSignal: 'TERM',
        );

        return new self($process, $client, $sockets, $socket, $home . '/fpm.log');
    }

    /**
     * Asks a worker to run a script.
     *
     * @param string $script a file that the pool's user can read
     * @param string $query as in a URL, without the question mark
     * @param string|null $pool null: the first pool
     * @param array<string, string> $parameters further FastCGI parameters that a web server may send: ['PHP_VALUE' =>
     *         'a=1']
     * @throws ServerFailed if no worker answers in time
     */
    public function request(
        string $script,
        string $query = '',
        ?string $pool = null,
        array $parameters = [],
        float $seconds = 30.0,
    ): PhpFpmResponse {
        $request = $this->startRequest($script, $query, $pool, $parameters, $seconds);
        $request->wait();

        return $this->response($request);
    }

    /**
     * Like request(), without waiting, so that several requests can run at once. Pass the result to response().
     *
     * @param array<string, string> $parameters
     */
    public function startRequest(
        string $script,
        string $query = '',
        ?string $pool = null,
        array $parameters = [],
        float $seconds = 30.0,
    ): Process {
        $request = new Process($this->requestCommand($script, $query, $pool, $parameters), timeout: $seconds);
        $request->start();

        return $request;
    }

    /**
     * The command that sends a request to a worker and prints the answer, for callers that run it themselves.
     *
     * @param array<string, string> $parameters
     * @return list<string>
     */
    public function requestCommand(
        string $script,
        string $query = '',
        ?string $pool = null,
        array $parameters = [],
    ): array {
        $all = [...self::parameters($script, $query), ...$parameters];
        $assignments = array_map(
            static fn(string $name, string $value): string => $name . '=' . $value,
            array_keys($all),
            $all,
        );

        return ['env', '-i', ...$assignments, $this->client->path, '-bind', '-connect', $this->socketOf($pool)];
    }

    /**
     * The FastCGI parameters of a request, as a web server sends them.
     *
     * @return array<string, string>
     */
    public static function parameters(string $script, string $query = ''): array
    {
        return [
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'SERVER_SOFTWARE' => 'cgi-fcgi',
            'REQUEST_METHOD' => 'GET', 'REMOTE_ADDR' => Address::HOST, 'SERVER_NAME' => 'localhost',
            'SERVER_PORT' => '80',
            'SCRIPT_FILENAME' => $script, 'SCRIPT_NAME' => '/' . basename($script), 'QUERY_STRING' => $query,
            'REQUEST_URI' => '/' . basename($script) . ($query === '' ? '' : '?' . $query),
        ];
    }

    /** @throws ServerFailed */
    public function connect(?string $pool = null): PhpFpmConnection
    {
        return PhpFpmConnection::open($this->socketOf($pool));
    }

    /**
     * Waits for the answer to a request of startRequest().
     *
     * @throws ServerFailed if there was no answer
     */
    public function response(Process $request): PhpFpmResponse
    {
        $request->wait();
        $output = $request->getOutput();
        if ($output === '') {
            throw new ServerFailed(
                \sprintf('PHP-FPM gave no answer: %s (its log: %s)', trim($request->getErrorOutput()), $this->log),
            );
        }

        return PhpFpmResponse::parse($output, $request->getErrorOutput());
    }

    /** The master's process id; null once it has ended. */
    public function pid(): ?int
    {
        return $this->process->pid();
    }

    /**
     * Like `systemctl reload php-fpm`: the master stays, and all its workers are new when this returns. Requests under
     * way are lost.
     *
     * @throws ServerFailed if it takes longer than ten seconds
     */
    public function reload(): void
    {
        $before = $this->timesReady();
        $this->process->signal(\SIGUSR2);
        for ($deadline = microtime(true) + 10.0; $this->timesReady() === $before; usleep(5_000)) {
            if (microtime(true) > $deadline) {
                throw new ServerFailed('PHP-FPM did not reload within 10 s; its log: ' . $this->log);
            }
        }
    }

    public function stop(): void
    {
        $this->process->stop();
    }

    private function socketOf(?string $pool): string
    {
        return $pool === null
            ? $this->socket
            : $this->sockets[$pool] ?? throw new ServerFailed(\sprintf('no pool is named %s', $pool));
    }

    private function timesReady(): int
    {
        return substr_count((string) file_get_contents($this->log), 'ready to handle connections');
    }
}
