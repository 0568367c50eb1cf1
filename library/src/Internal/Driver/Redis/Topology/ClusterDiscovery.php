<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Server\ConnectionSettings;

/** Asks the servers of a cluster, one after the other, for its slots. */
final class ClusterDiscovery
{
    /**
     * @param non-empty-list<string> $seeds "host:port" of some of its servers
     * @param ConnectionSettings $settings of any of its servers
     */
    public function __construct(private readonly array $seeds, private readonly ConnectionSettings $settings) {}

    /**
     * @param list<string> $known "host:port" of servers to ask before those of the DSN, in this order
     * @param array<int, string> $away "host:port" of servers to ask last, because they have failed
     * @throws ServerGone if none of the servers answers
     */
    public function ask(array $known, array $away): SlotMap
    {
        $none = new ServerGone('no server of the cluster is known');
        foreach (array_unique([...array_diff([...$known, ...$this->seeds], $away), ...$away]) as $server) {
            try {
                $endpoint = Endpoint::parse($server);
                $answer = WireConnection::open($this->settings->at($endpoint))->ask(['CLUSTER', 'SLOTS']);

                return SlotMap::ofAnswer($answer, $endpoint->host)
                    ?? throw new ServerGone(\sprintf('%s knows of no server that has a slot', $server));
            } catch (ServerGone $gone) {
                $none = $gone;
            }
        }

        throw $none;
    }
}
