<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;

/**
 * Apache with its PHP module, on a loopback port. If root starts it, its workers run as www-data, which must be able to
 * read the scripts and the extensions.
 */
final class ApacheServer
{
    private const MODULES = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules'];

    private function __construct(
        private readonly ServerProcess $process,
        public readonly int $port,
        public readonly string $version,
    ) {}

    /**
     * @param string $directory for configuration and log; made when missing
     * @param string $root the directory of the scripts
     * @param array<string, string|int> $ini settings of PHP
     * @param list<string> $extensions paths of further PHP extensions
     * @param positive-int $workers processes that serve requests
     * @param string $directives further lines of Apache's configuration
     * @throws ServerFailed
     */
    public static function start(
        string $directory,
        string $root,
        array $ini = [],
        array $extensions = [],
        int $workers = 1,
        string $directives = '',
    ): self {
        $executable = Executable::find(['apache2', 'httpd'], 'apache2-bin');
        $modules = self::modules();
        $name = 'libphp' . Php::version();
        $module = Php::unpacked($name) ?? $modules . "/$name.so";
        if (!is_file($module)) {
            throw new ServerFailed(\sprintf(
                'Apache has no module for PHP %1$s. To add it: dev/setup studies (in a clone of Larder), '
                    . 'or apt-get install libapache2-mod-php%1$s',
                Php::version(),
            ));
        }
        $home = \dirname(Address::socket($directory, 'apache'));
        $lines = array_map(static fn(string $extension): string => 'extension=' . $extension, $extensions);
        foreach ($ini as $setting => $value) {
            $lines[] = \sprintf('%s="%s"', $setting, $value);
        }
        file_put_contents($home . '/php.ini', implode("\n", $lines) . "\n");
        [$process, $port] = Address::onFreePort(static function (
            int $port,
        ) use ($executable, $home, $root, $modules, $module, $workers, $directives): ServerProcess {
            file_put_contents(
                $home . '/apache.conf',
                self::configuration($home, $root, $modules, $module, $port, $workers, $directives),
            );

            return ServerProcess::start(
                [$executable->path, '-D', 'FOREGROUND', '-f', $home . '/apache.conf'],
                $home . '/apache.log',
                static fn(): bool
                    => @stream_socket_client(\sprintf('tcp://%s:%d', Address::HOST, $port), timeout: 1.0) !== false,
                deathSignal: 'TERM',
                // The folder with the module's ini files is missing if the module is only unpacked.
                environment: getenv('PHP_INI_SCAN_DIR') === false
                    ? ['PHP_INI_SCAN_DIR' => \PHP_CONFIG_FILE_SCAN_DIR]
                    : [],
            );
        });

        return new self($process, $port, $executable->version('-v'));
    }

    /** @return string|null user of the workers; null: the user who starts the server */
    public static function user(): ?string
    {
        if (posix_geteuid() !== 0) {
            return null;
        }

        return posix_getpwnam('www-data') !== false ? 'www-data' : 'nobody';
    }

    public function stop(): void
    {
        $this->process->stop();
    }

    /** @throws ServerFailed */
    private static function modules(): string
    {
        foreach (self::MODULES as $directory) {
            if (is_file($directory . '/mod_mpm_prefork.so')) {
                return $directory;
            }
        }

        throw new ServerFailed('Apache has no module mpm_prefork. To add it: apt-get install apache2-bin');
    }

    private static function configuration(
        string $home,
        string $root,
        string $modules,
        string $module,
        int $port,
        int $workers,
        string $directives,
    ): string {
        $user = self::user();
        $entry = $user === null ? false : posix_getpwnam($user);
        $identity = $entry === false ? '' : \sprintf("User %s\nGroup #%d", $entry['name'], $entry['gid']);
        $host = Address::HOST;

        return <<<CONF
            ServerRoot $home
            ServerName localhost
            PidFile $home/apache.pid
            Mutex file:$home
            ErrorLog $home/apache.log
            Listen $host:$port
            LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
            LoadModule authz_core_module $modules/mod_authz_core.so
            LoadModule php_module $module
            PHPIniDir $home
            KeepAlive On
            MaxKeepAliveRequests 0
            StartServers $workers
            MinSpareServers $workers
            MaxSpareServers $workers
            MaxRequestWorkers $workers
            $identity
            DocumentRoot $root
            <FilesMatch "\.php$">
            SetHandler application/x-httpd-php
            </FilesMatch>
            $directives
            CONF;
    }
}
