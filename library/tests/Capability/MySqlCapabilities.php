<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

/** How the tables of all engines are opened. */
abstract class MySqlCapabilities extends CapabilitiesContract
{
    /** @var list<string> */
    private array $namespaces = [];

    abstract protected function engine(): string;

    protected function open(string $namespace): Store
    {
        $this->namespaces[] = $namespace;
        $server = Servers::mariaDb();

        return Cache::open(\sprintf(
            'mysql://%s:%s@/%s?engine=%s&namespace=%s&socket=%s',
            MariaDbServer::USER,
            $server->password,
            MariaDbServer::DATABASE,
            $this->engine(),
            $namespace,
            $server->socket,
        ) . Servers::PATIENTLY)->store();
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $server = Servers::mariaDb();
        $database = new \PDO(\sprintf('mysql:unix_socket=%s;dbname=%s', $server->socket, MariaDbServer::DATABASE), MariaDbServer::USER, $server->password);
        foreach (array_unique($this->namespaces) as $namespace) {
            $database->exec(\sprintf('DROP TABLE IF EXISTS `larder_%s_%s`', $namespace, $this->engine()));
        }
    }
}
