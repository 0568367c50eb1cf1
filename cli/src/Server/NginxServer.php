<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;

/** nginx in front of PHP-FPM, on a loopback port. */
final class NginxServer
{
    private function __construct(
        private readonly ServerProcess $process,
        public readonly int $port,
        public readonly string $version,
    ) {}

    /**
     * @param string $directory for configuration, log and temporary files; made when missing
     * @param string $root directory of the scripts; every path that ends in .php is a script there
     * @param string $fpmSocket of the pool that runs the scripts
     * @param string $http further directives for all servers, such as fastcgi_cache_path
     * @param string $scripts further directives for the scripts, such as fastcgi_cache
     * @param string $server further directives for the server, such as a location
     * @throws ServerFailed
     */
    public static function start(
        string $directory,
        string $root,
        string $fpmSocket,
        string $http = '',
        string $scripts = '',
        string $server = '',
    ): self {
        $executable = Executable::find(['nginx'], 'nginx');
        $home = \dirname(Address::socket($directory, 'nginx'));
        [$process, $port] = Address::onFreePort(
            static function (int $port) use (
                $executable,
                $home,
                $root,
                $fpmSocket,
                $http,
                $scripts,
                $server,
            ): ServerProcess {
                file_put_contents(
                    $home . '/nginx.conf',
                    self::configuration($home, $root, $fpmSocket, $port, $http, $scripts, $server),
                );

                return ServerProcess::start(
                    [$executable->path, '-p', $home, '-e', $home . '/nginx.log', '-c', $home . '/nginx.conf'],
                    $home . '/nginx.log',
                    static fn(): bool
                        => @stream_socket_client(\sprintf('tcp://%s:%d', Address::HOST, $port), timeout: 1.0) !== false,
                    deathSignal: 'TERM',
                );
            },
        );

        return new self($process, $port, $executable->version('-v'));
    }

    public function stop(): void
    {
        $this->process->stop();
    }

    /**
     * Debian's settings with three exceptions: no access log, unlimited requests a connection, and buffers that hold a
     * page of 60 KB. With the default buffers, such a page may go through a file.
     */
    private static function configuration(
        string $home,
        string $root,
        string $fpmSocket,
        int $port,
        string $http,
        string $scripts,
        string $server,
    ): string {
        $user = posix_geteuid() === 0 ? 'user root;' : '';
        $workers = max(1, \count(CpuAffinity::allowed()));
        $host = Address::HOST;
        $temporary = '';
        foreach (['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as $kind) {
            $temporary .= \sprintf("%s_temp_path %s/%s;\n", $kind, $home, $kind);
        }
        $parameters = '';
        foreach ([
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'SERVER_PROTOCOL' => '$server_protocol', 'SERVER_SOFTWARE' => 'nginx',
            'REQUEST_METHOD' => '$request_method', 'CONTENT_TYPE' => '$content_type',
            'CONTENT_LENGTH' => '$content_length',
            'REQUEST_URI' => '$request_uri', 'QUERY_STRING' => '$query_string',
            'SCRIPT_FILENAME' => $root . '$fastcgi_script_name', 'SCRIPT_NAME' => '$fastcgi_script_name',
            'DOCUMENT_ROOT' => $root,
            'REMOTE_ADDR' => '$remote_addr', 'REMOTE_PORT' => '$remote_port', 'SERVER_ADDR' => '$server_addr',
            'SERVER_PORT' => '$server_port', 'SERVER_NAME' => '$server_name', 'REDIRECT_STATUS' => '200',
        ] as $name => $value) {
            $parameters .= \sprintf("fastcgi_param %s %s;\n", $name, $value);
        }

        return <<<CONF
            daemon off;
            $user
            worker_processes $workers;
            pid $home/nginx.pid;
            events { worker_connections 768; }
            http {
            access_log off;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 100000000;
            $temporary
            $http
            server {
            listen $host:$port;
            server_name localhost;
            root $root;
            $server
            location ~ \.php$ {
            fastcgi_pass unix:$fpmSocket;
            fastcgi_buffer_size 16k;
            fastcgi_buffers 16 16k;
            $parameters
            $scripts
            }
            }
            }
            CONF;
    }
}
