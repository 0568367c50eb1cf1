<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;
use Larder\Tests\Servers;

/** A process between client and server that can cause trouble (see proxy.php). It ends with this object. */
final class Proxy
{
    private function __construct(
        private readonly ServerProcess $process,
        public readonly string $socket,
        private readonly string $modeFile,
    ) {}

    /** @param string $server path of its Unix socket */
    public static function before(string $server): self
    {
        $directory = Servers::directory('proxy' . bin2hex(random_bytes(4)));
        $socket = $directory . '/proxy.sock';
        $mode = $directory . '/mode';
        file_put_contents($mode, 'pass');
        $process = ServerProcess::start(
            [\PHP_BINARY, '-n', __DIR__ . '/proxy.php', $socket, $server, $mode],
            $directory . '/proxy.log',
            static fn(): bool => Address::says($socket, '', ''),
        );

        return new self($process, $socket, $mode);
    }

    /** Sets the mode from now on; see proxy.php. */
    public function does(string $mode): void
    {
        file_put_contents($this->modeFile . '.new', $mode);
        rename($this->modeFile . '.new', $this->modeFile);
        while (Address::says($this->socket, '', '') === ($mode === 'refuse')) {
            usleep(1000);
        }
    }

    public function stop(): void
    {
        $this->process->stop();
    }
}
