<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Server\ConnectionSettings;

/** Asks sentinels, one after the other, for the master. The store checks the server's role when it connects. */
final class SentinelDiscovery
{
    private const LOGIN = 'Sentinels have a login of their own: sentinel_password_file=/path, '
        . 'and sentinel_user= where they have users';

    /**
     * @param non-empty-list<ConnectionSettings> $sentinels in the order in which to ask them
     * @param string $name the sentinels' name of the master
     * @param bool $wantsReplicas true to ask for its replicas too
     */
    public function __construct(
        private array $sentinels,
        private readonly string $name,
        private readonly bool $wantsReplicas,
    ) {}

    /** @throws ServerGone if none of the sentinels answers */
    public function ask(): SlotMap
    {
        $none = new ServerGone('no sentinel is known');
        foreach ($this->sentinels as $i => $settings) {
            try {
                $sentinel = WireConnection::open($settings);
                $master = $sentinel->ask(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', $this->name]);
                $address = \is_array($master) ? self::address($master[0] ?? null, $master[1] ?? null) : null;
                if ($address === null) {
                    throw new ServerGone(\sprintf(
                        'the sentinel at %s knows no master of the name that the DSN has',
                        $settings->endpoint,
                    ));
                }

                $map = SlotMap::ofOne($address, $this->wantsReplicas ? $this->replicas($sentinel) : []);
                $others = $this->sentinels;
                unset($others[$i]);
                // ask this one first, as one that is down may cost a timeout
                $this->sentinels = [$settings, ...array_values($others)];

                return $map;
            } catch (ServerGone $gone) {
                $none = self::asksForLogin($gone) ? new ServerGone($gone->getMessage(), self::LOGIN, $gone) : $gone;
            }
        }

        throw $none;
    }

    private static function asksForLogin(ServerGone $gone): bool
    {
        return preg_match('~refuses .*\((NOAUTH|WRONGPASS)\b~', $gone->getMessage()) === 1;
    }

    /** @return list<string> "host:port" of those that are connected to their master */
    private function replicas(WireConnection $sentinel): array
    {
        $answer = $sentinel->ask(['SENTINEL', 'REPLICAS', $this->name]);
        $replicas = [];
        foreach (\is_array($answer) ? $answer : [] as $words) {
            $fields = [];
            foreach (array_chunk(\is_array($words) ? array_filter($words, is_string(...)) : [], 2) as $pair) {
                $fields[$pair[0]] = $pair[1] ?? '';
            }
            $address = self::address($fields['ip'] ?? null, $fields['port'] ?? null);
            $flags = explode(',', $fields['flags'] ?? '');
            if (
                $address !== null
                && array_intersect($flags, ['s_down', 'o_down', 'disconnected']) === []
                && ($fields['master-link-status'] ?? '') === 'ok'
            ) {
                $replicas[] = $address;
            }
        }

        return $replicas;
    }

    private static function address(mixed $host, mixed $port): ?string
    {
        return \is_string($host) && \is_string($port) && ctype_digit($port)
            ? Endpoint::named($host, (int) $port)?->__toString()
            : null;
    }
}
