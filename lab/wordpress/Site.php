<?php

declare(strict_types=1);

namespace Larder\Lab\WordPress;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/** A WordPress of lab/software/wordpress with a database, a segment of the engine and a PHP-FPM of its own. */
final class Site
{
    private const ROOT = __DIR__ . '/../..';

    public readonly string $folder;
    private ?PhpFpmServer $fpm = null;

    private function __construct(
        private readonly TemporaryDirectory $directory,
        private readonly MariaDbServer $database,
    ) {
        $this->folder = $directory->path;
    }

    /**
     * @param string $version 6.1, 6.8 or 7.1
     * @param string $plugin folder of the plugin; another than wordpress/ is a control
     * @param array<string, string|bool> $constants of wp-config.php
     * @param string|null $dropIn another object-cache.php
     */
    public static function create(
        string $version,
        string $plugin = self::ROOT . '/wordpress',
        bool $hasCache = true,
        array $constants = [],
        ?string $dropIn = null,
    ): self {
        $directory = new TemporaryDirectory('/dev/shm');
        $site = new self($directory, MariaDbServer::start($directory->add('mariadb')));
        $files = new Filesystem();
        $root = (string) realpath(self::ROOT . "/var/wordpress-$version/root/usr/share/wordpress");
        foreach (['wp-admin', 'wp-includes'] as $folder) {
            (new Process(['cp', '-aL', "$root/$folder", $site->folder]))->setTimeout(300)->mustRun();
        }
        foreach (glob("$root/*.php") ?: [] as $file) {
            $files->copy($file, $site->folder . '/' . basename($file));
        }
        $files->mkdir("$site->folder/wp-content/plugins");
        $files->symlink("$root/wp-content/themes", "$site->folder/wp-content/themes");
        $files->symlink((string) realpath($plugin), "$site->folder/wp-content/plugins/larder");
        if ($hasCache) {
            $files->copy($dropIn ?? "$plugin/object-cache.php", "$site->folder/wp-content/object-cache.php");
        }
        $files->dumpFile("$site->folder/wp-config.php", $site->configuration($constants));
        $directory->add('engine');

        return $site;
    }

    /** @param array<string, string|bool> $constants */
    private function configuration(array $constants): string
    {
        $constants += [
            'DB_NAME' => MariaDbServer::DATABASE, 'DB_USER' => MariaDbServer::USER,
            'DB_PASSWORD' => $this->database->password, 'DB_HOST' => 'localhost:' . $this->database->socket,
            'DISABLE_WP_CRON' => true, 'AUTOMATIC_UPDATER_DISABLED' => true, 'WP_HTTP_BLOCK_EXTERNAL' => true,
        ];
        $lines = ["<?php\n", self::definitions($constants)];
        if (isset($constants['LARDER_DSN'])) { // the plugin's zip brings the library along
            $lines[] = \sprintf("require_once '%s/vendor/autoload.php';\n", realpath(self::ROOT));
        }

        return implode('', $lines) . <<<'PHP'
            $table_prefix = 'wp_';
            defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
            require ABSPATH . 'wp-settings.php';
            PHP;
    }

    /** @return array<string, string> settings of PHP for the web server and the command line */
    public function settings(): array
    {
        return ['larder.path' => "$this->folder/engine", 'larder.size' => '64M', 'error_reporting' => '22527',
            'display_errors' => 'stderr', 'memory_limit' => '512M'];
    }

    /**
     * Runs a script, which loads WordPress itself, on the command line.
     *
     * @param list<string> $arguments
     * @param list<string> $options of PHP
     */
    public function php(string $script, array $arguments = [], array $options = []): Process
    {
        $command = [\PHP_BINARY, ...$options, '-d', 'extension=' . self::extension()];
        foreach ($this->settings() as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }

        return new Process([...$command, $script, "$this->folder/wp-load.php", ...$arguments], timeout: null);
    }

    /**
     * Runs a script by a PHP without the engine and without these settings.
     *
     * @param list<string> $arguments
     * @param list<string> $options of PHP
     */
    public function bare(string $script, array $arguments = [], array $options = [], string $first = ''): string
    {
        $command = [\PHP_BINARY, ...$options, '-d', "larder.path=$this->folder/engine", $script];
        $process = new Process([...$command, $first === '' ? "$this->folder/wp-load.php" : $first, ...$arguments]);
        self::run($process);

        return $process->getOutput();
    }

    /** A process that kills itself is none that failed. */
    public static function run(Process $process): void
    {
        try {
            $process->run();
        } catch (ProcessSignaledException) {
        }
    }

    /** A visit of a front page. */
    public function visit(string $path = '/'): string
    {
        $response = $this->request($path);

        return $response->status === 200
            ? $response->body : throw new \RuntimeException("$response->status: $response->errors");
    }

    /**
     * @param string $uri of a page, or of a script in wp-admin, in a network also below the path of a site
     * @param array<string, string> $cookies
     */
    public function request(string $uri, array $cookies = []): PhpFpmResponse
    {
        [$path, $query] = explode('?', $uri, 2) + [1 => ''];
        $script = preg_match('~/wp-admin/.+\.php$~', $path, $match) === 1 ? $match[0] : '/index.php';
        $server = ['HTTP_HOST' => 'localhost', 'SERVER_NAME' => 'localhost', 'REQUEST_URI' => $uri,
            'SCRIPT_NAME' => $script, 'PHP_SELF' => $script];
        if ($cookies !== []) {
            $server['HTTP_COOKIE'] = http_build_query($cookies, '', '; ', \PHP_QUERY_RFC3986);
        }

        return $this->fpm()->request($this->folder . $script, $query, parameters: $server, seconds: 120.0);
    }

    /** Adds constants to wp-config.php. @param array<string, string|bool|int> $constants */
    public function define(array $constants): void
    {
        $file = "$this->folder/wp-config.php";
        $code = substr((string) file_get_contents($file), \strlen("<?php\n"));
        file_put_contents($file, "<?php\n" . self::definitions($constants) . $code);
    }

    /** @param array<string, string|bool|int> $constants */
    private static function definitions(array $constants): string
    {
        $lines = '';
        foreach ($constants as $name => $value) {
            $lines .= \sprintf("define('%s', %s);\n", $name, var_export($value, true));
        }

        return $lines;
    }

    public function fpm(): PhpFpmServer
    {
        return $this->fpm ??= PhpFpmServer::start(
            $this->directory->add('fpm'),
            ['opcache.enable' => 1, ...$this->settings()],
            [self::extension()],
        );
    }

    public function stop(): void
    {
        $this->fpm?->stop();
        $this->database->stop();
    }

    public static function extension(): string
    {
        return (string) realpath(self::ROOT . '/extension/modules/larder.so');
    }
}
