<?php

declare(strict_types=1);

namespace Larder\Cli\Doctor;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Driver\Driver;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Internal\Driver\Remark;

/** Tests every store of the registry at its usual place: stores, reads and deletes a value. */
final class Stores
{
    /** Seconds to wait for a server of this machine. */
    private const TIMEOUT = '0.5';

    /** @return iterable<Finding> */
    public static function all(): iterable
    {
        foreach (Drivers::all() as $scheme => $driver) {
            foreach ($driver->variants() as $i => $variant) {
                if ($variant->scope === Scope::Process || $variant->needsLogin && $i > 0) {
                    continue; // nothing to test, or the same as the first variant
                }
                $finding = match (true) {
                    $variant->needsLogin => self::login($scheme, $variant),
                    $variant->scope === Scope::Server => self::server($scheme, $variant),
                    $variant->connections !== [] => self::files($scheme, $variant),
                    default => self::memory($scheme, $variant),
                };
                yield $variant->isLegacy ? new Finding(
                    $finding->store,
                    $finding->isUsable,
                    $finding->what . ' (legacy, not recommended)',
                    $finding->how,
                    $finding->remarks,
                ) : $finding;
            }
        }
    }

    /**
     * @param string $dsn DSN from the user
     * @throws InvalidDsn
     */
    public static function at(#[\SensitiveParameter] string $dsn): Finding
    {
        $parsed = Drivers::parse($dsn);

        return self::attempt(
            $parsed->scheme,
            $dsn,
            $parsed->servers === [] ? $parsed->name() : implode(',', $parsed->servers),
        );
    }

    private static function memory(string $scheme, Variant $variant): Finding
    {
        $finding = self::attempt($variant->name, $scheme . ':', '');
        $replaces = $variant->excludes !== ''
            && !\extension_loaded($variant->extension)
            && \extension_loaded($variant->excludes);

        return $replaces
            ? new Finding(
                $variant->name,
                false,
                $finding->what,
                \sprintf('%s (Debian removes %s for it)', $finding->how, $variant->excludes),
            )
            : $finding;
    }

    private static function attempt(string $store, #[\SensitiveParameter] string $dsn, string $endpoint): Finding
    {
        try {
            $cache = Cache::open($dsn);
            $cache->reach();
        } catch (StoreUnavailable $missing) {
            $failure = $missing->getPrevious();
            $isReached = $failure instanceof StoreFailed && $failure->isOfRequest;

            return new Finding($store, false, $missing->what, $missing->how, $isReached ? self::remarks($dsn) : []);
        }
        $key = 'larder-doctor-' . bin2hex(random_bytes(8));
        $isKept = $cache->set($key, $key, 60) && $cache->get($key) === $key;
        $cache->delete($key);
        $driver = Drivers::get(Drivers::parse($dsn)->scheme);
        $remarks = self::remarks($dsn);
        if (!$isKept) {
            $problem = $driver instanceof Diagnoses ? $driver->problem() : '';

            return new Finding(
                $store,
                false,
                $problem !== '' ? $problem : 'it opens, but did not keep a value',
                remarks: $remarks,
            );
        }

        return new Finding(
            $store,
            true,
            ltrim($endpoint . ', ', ', ') . self::sharers($driver),
            $driver instanceof Diagnoses ? $driver->advice() : '',
            $remarks,
        );
    }

    /** @return list<Remark> */
    private static function remarks(#[\SensitiveParameter] string $dsn): array
    {
        $parsed = Drivers::parse($dsn);
        $driver = Drivers::get($parsed->scheme);

        return $driver instanceof ExaminesServers ? $driver->examine($parsed) : [];
    }

    /** Tries the usual endpoints, and takes the first that answers. */
    private static function server(string $scheme, Variant $variant): Finding
    {
        $options = http_build_query(['timeout' => self::TIMEOUT, ...$variant->options]);
        $absent = [];
        $finding = null;
        foreach ($variant->endpoints as $endpoint) {
            if (str_starts_with($endpoint, '/') && !file_exists($endpoint)) {
                $absent[] = $endpoint;

                continue;
            }
            $finding = self::attempt($variant->name, \sprintf('%s://%s?%s', $scheme, $endpoint, $options), $endpoint);
            if ($finding->isUsable === true) {
                return $finding;
            }
        }
        $hasClient = $variant->extension === '' || \extension_loaded($variant->extension);
        $sockets = $absent !== [] && $hasClient ? ', no socket ' . implode(', ', $absent) : '';

        return new Finding(
            $variant->name,
            false,
            ($finding->what ?? 'no server is known') . $sockets,
            $finding->how ?? '',
        );
    }

    /** Whether this server can be used can only be tested with a DSN that has a login. */
    private static function login(string $scheme, Variant $variant): Finding
    {
        try {
            StoreUnavailable::unlessLoaded($variant->name, $variant->extension, $variant->package);
        } catch (StoreUnavailable $missing) {
            return new Finding($variant->name, false, $missing->what, $missing->how);
        }
        foreach ($variant->endpoints as $endpoint) {
            if (@stream_socket_client(
                (str_starts_with($endpoint, '/') ? 'unix://' : 'tcp://') . $endpoint,
                timeout: (float) self::TIMEOUT,
            ) !== false) {
                return new Finding(
                    $variant->name,
                    null,
                    \sprintf('a server listens at %s', $endpoint),
                    \sprintf('To try it: larder doctor %s://user:password@127.0.0.1/database', $scheme),
                );
            }
        }

        return new Finding(
            $variant->name,
            false,
            'no server listens at ' . implode(' or ', $variant->endpoints),
            $variant->serverPackage === '' ? '' : 'To install it: apt-get install ' . $variant->serverPackage,
        );
    }

    private static function files(string $scheme, Variant $variant): Finding
    {
        try {
            $directory = new TemporaryDirectory();
        } catch (\RuntimeException $none) {
            return new Finding(
                $variant->name,
                false,
                $none->getMessage(),
                'Name a directory that you can write: TMPDIR=/path',
            );
        }
        $path = implode('/', array_map(rawurlencode(...), explode('/', $directory->path . $variant->file)));

        return self::attempt($variant->name, \sprintf('%s://%s', $scheme, $path), '');
    }

    private static function sharers(Driver $driver): string
    {
        $variant = $driver->variants()[0] ?? null;

        return match ($variant?->scope) {
            Scope::Server => 'shared by all clients of the server',
            Scope::FpmWorkers => $variant->scope->isShared()
                ? 'shared by the workers of one FPM master'
                : 'on the command line for one process alone',
            Scope::Machine => 'shared by all processes of ' . $variant->owner,
            Scope::Process => 'for one process alone',
            null => $driver->scheme()->nesting !== '' ? 'copies of what the shared tier keeps' : 'see below',
        };
    }
}
