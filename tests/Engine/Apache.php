<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\Executable;
use Larder\Cli\Server\ServerProcess;
use Larder\ProjectTests\Repository;

/** Apache with PHP inside (mod_php) and virtual hosts; one worker serves them all. */
final class Apache extends Php
{
    private function __construct(
        private readonly Sandbox $sandbox,
        private readonly int $port,
        public readonly ServerProcess $process,
    ) {}

    /** Apache's module of this PHP, where dev/setup has unpacked it. */
    public static function module(): string
    {
        $version = \PHP_MAJOR_VERSION . '.' . \PHP_MINOR_VERSION;

        return Repository::ROOT . "/var/libphp$version/$version/libphp$version.so";
    }

    /**
     * @param array<string, string|int> $settings of PHP
     * @param array<string, string> $hosts by their names: what stands in the virtual host
     */
    public static function start(Sandbox $sandbox, string $engine, array $settings, array $hosts): self
    {
        $folder = $sandbox->folder();
        $root = \dirname($sandbox->page(''));
        $modules = '/usr/lib/apache2/modules';
        $lines = ["extension=$engine"];
        foreach ($settings as $name => $value) {
            $lines[] = "$name=\"$value\"";
        }
        file_put_contents("$folder/php.ini", implode("\n", $lines) . "\n");
        $module = "$folder/libphp.so";
        copy(self::module(), $module);
        [$process, $port] = Address::onFreePort(static function (int $port) use ($folder, $root, $modules, $module, $hosts): ServerProcess {
            $virtual = '';
            foreach ($hosts as $name => $directives) {
                $virtual .= "<VirtualHost *:$port>\nServerName $name\nDocumentRoot $root\n$directives\n</VirtualHost>\n";
            }
            $user = User::mayChange() ? 'User ' . User::site()->name . "\nGroup " . User::site()->name : '';
            file_put_contents("$folder/apache.conf", <<<CONF
                ServerRoot $folder
                ServerName localhost
                PidFile $folder/pid
                Mutex file:$folder
                ErrorLog $folder/errors
                Listen 127.0.0.1:$port
                LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
                LoadModule authz_core_module $modules/mod_authz_core.so
                LoadModule php_module $module
                PHPIniDir $folder
                StartServers 1
                MinSpareServers 1
                MaxSpareServers 1
                MaxRequestWorkers 1
                $user
                <Directory $root>
                AllowOverride All
                SetHandler application/x-httpd-php
                </Directory>
                $virtual
                CONF);

            return ServerProcess::start(
                [Executable::find(['apache2'], 'apache2-bin')->path, '-D', 'FOREGROUND', '-f', "$folder/apache.conf"],
                "$folder/log",
                static fn(): bool => @stream_socket_client('tcp://' . Address::HOST . ":$port", timeout: 1.0) !== false,
                deathSignal: 'TERM',
            );
        });

        return new self($sandbox, $port, $process);
    }

    public function run(string $code): mixed
    {
        return $this->ask('localhost', $code);
    }

    /** A request to one of the virtual hosts. */
    public function ask(string $host, string $code): mixed
    {
        $context = stream_context_create(['http' => ['header' => "Host: $host\r\nConnection: close", 'ignore_errors' => true]]);
        $body = @file_get_contents(\sprintf('http://%s:%d/%s', Address::HOST, $this->port, basename($this->sandbox->page($code))), false, $context);

        return $body === false ? throw new PhpFailed('Apache did not answer') : Sandbox::answer($body, '');
    }
}
