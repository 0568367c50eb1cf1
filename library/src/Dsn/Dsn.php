<?php

declare(strict_types=1);

namespace Larder\Dsn;

use Larder\Exception\InvalidDsn;
use Larder\Internal\Dsn\DsnError;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Process\User;

/**
 * A parsed DSN, the string that chooses a store:
 *
 *     scheme:[name]                                     larder:shop   apcu:
 *     scheme://[user[:password]@]host[:port][,host…][/path][?option=value&…]
 *     scheme:///path[,path…][?…]                        unix sockets, files, directories
 *     tier:(DSN)(DSN)[?…]                               a local tier, and the shared one behind it
 *
 * Inside a name these characters are percent-encoded: ? & % , @ / : An error names the part that is wrong and never
 * quotes it, because it may belong to a password (DsnError).
 */
final class Dsn
{
    /** Options that are not part of the identity(). A new option is part of it until it is added here. */
    private const USAGE_OPTIONS = [
        // how values are written: readers recognize every format by its first byte
        'serializer', 'compress', 'compress_from',
        // how to reach the server, and for how long to wait
        'timeout', 'connect_timeout', 'read_timeout', 'persistent', 'on_failure', 'client',
        // secrets, and the login of sentinels, which keep no entries
        'password_file', 'tls_key_file', 'sentinel_user', 'sentinel_password_file',
        // limits and statistics of the writing program
        'max_size', 'sample', 'default_ttl',
    ];

    /** The scheme, lower case: "redis". */
    public readonly string $scheme;

    /** True if connections are encrypted because of the scheme. */
    public readonly bool $isTls;

    /**
     * @param string $rest the part between the scheme and the options, decoded: a segment, a file, a database
     * @param list<string> $servers "host", "host:port", "[::1]:port"
     * @param array<string, string> $options
     * @param \SensitiveParameterValue $secret the password, which var_dump(), var_export() and serialize() do not show
     * @param list<self> $tiers the DSNs in a tier: DSN, the local one first; empty for others
     */
    private function __construct(
        Scheme $scheme,
        public readonly string $rest,
        public readonly array $servers,
        public readonly string $user,
        private readonly \SensitiveParameterValue $secret,
        public readonly array $options,
        public readonly array $tiers = [],
    ) {
        $this->scheme = $scheme->name;
        $this->isTls = $scheme->isTls;
    }

    /** @return array<string, mixed> without values that may be a secret, or a part of one */
    public function __debugInfo(): array
    {
        return ['scheme' => $this->scheme, 'options' => array_keys($this->options), 'tiers' => $this->tiers];
    }

    /** Empty if there is none. */
    public function password(): string
    {
        $password = $this->secret->getValue();

        return \is_string($password) ? $password : '';
    }

    /** @throws InvalidDsn names the wrong part and what is allowed */
    public static function parse(#[\SensitiveParameter] string $dsn, Schemes $schemes): self
    {
        if (strpbrk($dsn, "\0%") !== false && str_contains(rawurldecode($dsn), "\0")) {
            throw DsnError::zeroByte();
        }
        $name = (string) strstr($dsn, ':', true);
        $scheme = $schemes->scheme($name) ?? $schemes->scheme(strtolower($name));
        if ($scheme === null) {
            throw preg_match('~^[A-Za-z][A-Za-z0-9+.-]*$~D', $name) === 1
                ? DsnError::unknownScheme($schemes)
                : DsnError::noScheme($schemes);
        }
        $rest = substr($dsn, \strlen($name) + 1);
        if ($scheme->nesting !== '') {
            [$tiers, $query] = self::inParentheses($scheme, $rest);

            $nested = []; // not array_map(), whose arguments would be in the trace of an exception
            foreach ($tiers as $tier) {
                $nested[] = self::parse($tier, $schemes)
                    ->asTier(\sprintf('inside of a %s: DSN: write it after the last parenthesis', $scheme->name));
            }

            return new self(
                $scheme,
                '',
                [],
                '',
                new \SensitiveParameterValue(''),
                self::options($scheme, $schemes, $query),
                $nested,
            );
        }
        if (strpbrk($rest, '/?@%,:') === false) {
            return new self($scheme, $rest, [], '', new \SensitiveParameterValue(''), []);
        }
        [$path, $query] = [...explode('?', $rest, 2), ''];
        $authority = '';
        if (str_starts_with($path, '//')) {
            $length = strcspn($path, '/', 2);
            $authority = substr($path, 2, $length);
            $path = substr($path, 2 + $length);
        }
        $at = strrpos($authority, '@');
        $user = $password = '';
        $hosts = $authority;
        if ($at !== false) {
            [$user, $password] = [...explode(':', substr($authority, 0, $at), 2), ''];
            $hosts = substr($authority, $at + 1);
        }
        if ($scheme->isRemote && strpbrk($path, '@:') !== false) {
            throw DsnError::inPath($scheme->name);
        }
        $decoded = self::decode($path, $scheme, 'path');
        $servers = $hosts === '' ? [] : explode(',', $hosts);
        $options = self::options($scheme, $schemes, $query);
        $isOption = $scheme->path !== '' && $servers !== [] && \strlen($decoded) > 1;
        if ($isOption) {
            if (isset($options[$scheme->path])) {
                throw DsnError::repeatedOption($scheme->name, $scheme->path, ', once as a path');
            }
            $options[$scheme->path] = substr($decoded, 1);
        }
        foreach ($scheme->isRemote ? $servers : [] as $server) {
            self::hostAndPort($server) ?? throw DsnError::inHost($scheme->name);
        }

        return new self(
            $scheme,
            $isOption ? '' : $path,
            $servers,
            self::decode($user, $scheme, 'user name or password'),
            new \SensitiveParameterValue(self::decode($password, $scheme, 'user name or password')),
            $options,
        );
    }

    /**
     * DSNs of the same identity find the same entries and accept the same ones, so a value read by one may be returned
     * for the other: they share their local copies. The identity contains everything that decides
     *
     * - which entries a DSN finds: scheme, servers, name, namespace and the like; and the user, which decides the
     *   schema in PostgreSQL, and the server behind some proxies
     * - which of them it accepts: the classes, where the signing keys are, how the server proves who it is, and whether
     *   a replica may answer
     * - how old they may be: the options of a tier
     *
     * The user of this process is part of it too, because the server may use that name if the DSN has no user. The
     * content of a file or an environment variable is not (see CodecOptions::signingKeys()), nor the user from a
     * callable, since nothing is called here.
     */
    public function identity(): string
    {
        $servers = $this->servers;
        sort($servers);
        $named = array_diff_key($this->options, array_flip(self::USAGE_OPTIONS));
        ksort($named);

        return serialize([
            $this->scheme,
            $servers,
            $this->name(),
            $this->user,
            User::id(),
            $named,
            array_map(static fn(self $tier): string => $tier->identity(), $this->tiers),
        ]);
    }

    /** A number that this DSN shares with the results of inSubNamespace(), as long as one of them exists. */
    public function family(): int
    {
        return spl_object_id($this->secret);
    }

    /**
     * The DSN with the namespace "<its own>-<name>", if the scheme has namespaces.
     *
     * @throws InvalidDsn
     */
    public function inSubNamespace(string $name, Schemes $schemes): self
    {
        $scheme = $schemes->scheme($this->scheme) ?? throw DsnError::unknownScheme($schemes);
        NamespaceName::check($name);
        $options = $this->options;
        if (\in_array('namespace', $scheme->options, true)) {
            $options['namespace'] = $this->namespace() . '-' . $name;
        }
        $dsn = new self(
            $scheme,
            $this->rest,
            $this->servers,
            $this->user,
            $this->secret,
            $options,
            array_map(static fn(self $tier): self => $tier->inSubNamespace($name, $schemes), $this->tiers),
        );
        $dsn->namespace();

        return $dsn;
    }

    /**
     * @param string $misplaced why options of the whole cache are not allowed here
     * @throws InvalidDsn
     */
    public function asTier(string $misplaced): self
    {
        $options = array_intersect(Scheme::COMMON_OPTIONS, array_keys($this->options));

        return $options === []
            ? $this
            : throw $this->invalid(\sprintf('has the option %s %s', reset($options), $misplaced));
    }

    /** The part after the scheme as one name or path, decoded. */
    public function name(): string
    {
        return rawurldecode($this->rest);
    }

    /** @throws InvalidDsn if there is anything between the scheme and the options */
    public function refuseName(): void
    {
        $this->refuseServers();
        if ($this->rest !== '') {
            throw $this->invalid(
                'has something after its colon, where nothing is known but options behind a question mark',
            );
        }
    }

    /** @throws InvalidDsn if there is a host, and this scheme takes none */
    public function refuseServers(): void
    {
        if ($this->servers !== []) {
            throw $this->invalid(\sprintf('has no host: write %s:///path with three slashes', $this->scheme));
        }
    }

    /**
     * @return string the absolute path of a file or a directory
     * @throws InvalidDsn
     */
    public function path(): string
    {
        $this->refuseServers();
        $path = $this->name();
        if (!str_starts_with($path, '/')) {
            throw $this->invalid(\sprintf('names no absolute path: %s:///path', $this->scheme));
        }

        return $path;
    }

    /**
     * @return non-empty-list<Endpoint> of a scheme with several servers: hosts, or else sockets
     * @throws InvalidDsn
     */
    public function endpoints(int $defaultPort): array
    {
        if ($this->servers === []) {
            $sockets = [];
            foreach (explode(',', $this->rest) as $socket) {
                $socket = rawurldecode($socket);
                if (!str_starts_with($socket, '/')) {
                    throw $this->invalid(\sprintf(
                        'names no server: %1$s://127.0.0.1:%2$d or %1$s:///path/of.sock',
                        $this->scheme,
                        $defaultPort,
                    ));
                }
                $sockets[] = Endpoint::unix($socket);
            }

            return $sockets;
        }
        if ($this->rest !== '' && $this->rest !== '/') {
            throw $this->invalid('has a path after its host, where none is known. ' . DsnError::ENCODING);
        }

        return array_map(fn(string $server): Endpoint => $this->tcp($server, $defaultPort), $this->servers);
    }

    /**
     * @return list<Endpoint> the hosts; a path after them is ignored
     * @throws InvalidDsn
     */
    public function hosts(int $defaultPort): array
    {
        return array_map(fn(string $server): Endpoint => $this->tcp($server, $defaultPort), $this->servers);
    }

    /** @throws InvalidDsn */
    public function tcp(#[\SensitiveParameter] string $server, int $defaultPort): Endpoint
    {
        [$host, $port] = self::hostAndPort($server) ?? throw DsnError::inHost($this->scheme);

        return Endpoint::tcp($host, $port ?? $defaultPort);
    }

    /**
     * @template T of string
     * @param non-empty-list<T> $choices
     * @param T $default
     * @return T
     * @throws InvalidDsn
     */
    public function choice(string $option, array $choices, string $default): string
    {
        $value = $this->options[$option] ?? $default;
        if (!\in_array($value, $choices, true)) {
            throw $this->invalid(
                \sprintf('has an unknown value for the option %s. Known: %s', $option, implode(', ', $choices)),
            );
        }

        return $value;
    }

    /** @throws InvalidDsn */
    public function number(string $option, float $default, float $least, float $most): float
    {
        $value = $this->options[$option] ?? null;
        if ($value === null) {
            return $default;
        }
        if (!is_numeric($value) || (float) $value < $least || (float) $value > $most) {
            throw $this->invalid(
                \sprintf('has a value for the option %s that is not a number from %s to %s', $option, $least, $most),
            );
        }

        return (float) $value;
    }

    /** @throws InvalidDsn */
    public function namespace(): string
    {
        $namespace = $this->options['namespace'] ?? null;
        if ($namespace === null) {
            return 'larder';
        }
        if (!NamespaceName::isValid($namespace)) {
            throw $this->invalid('has a wrong value for the option namespace. ' . NamespaceName::RULE);
        }

        return $namespace;
    }

    /**
     * @return float seconds to wait for a server
     * @throws InvalidDsn
     */
    public function timeout(): float
    {
        return $this->number('timeout', 1.0, 0.001, 3600.0);
    }

    /**
     * @return float seconds to connect
     * @throws InvalidDsn
     */
    public function connectTimeout(): float
    {
        return $this->number('connect_timeout', $this->timeout(), 0.001, 3600.0);
    }

    /**
     * @return float seconds to wait for a reply
     * @throws InvalidDsn
     */
    public function readTimeout(): float
    {
        return $this->number('read_timeout', $this->timeout(), 0.001, 3600.0);
    }

    /**
     * @return bool true if calls throw while a server does not answer
     * @throws InvalidDsn
     */
    public function throws(): bool
    {
        return $this->choice('on_failure', ['miss', 'throw'], 'miss') === 'throw';
    }

    /** @throws InvalidDsn */
    public function isPersistent(): bool
    {
        return $this->choice('persistent', ['0', '1'], '0') === '1';
    }

    /**
     * @return int one in this many operations is sampled; 0 for none
     * @throws InvalidDsn
     */
    public function sample(): int
    {
        return isset($this->options['sample']) ? (int) $this->number('sample', 0.0, 1, 1_000_000) : 0;
    }

    /**
     * @return float seconds, 0.0 for no expiry: the ttl for values that PSR-6 and PSR-16 store without one
     * @throws InvalidDsn
     */
    public function defaultTtl(): float
    {
        return $this->number('default_ttl', 0.0, 0.0, 1_000_000_000);
    }

    /**
     * @return int bytes that its files may take, 0 for no limit
     * @throws InvalidDsn
     */
    public function maxSize(): int
    {
        [$least, $most] = [1 << 20, 1 << 50];
        $value = $this->options['max_size'] ?? '0';
        if (
            isset($this->options['max_size']) && (!ctype_digit($value) || (int) $value < $least || (int) $value > $most)
        ) {
            throw $this->invalid(\sprintf(
                'has a value for the option max_size that is not a number of bytes from %d (1 MiB) to %d (1 PiB)',
                $least,
                $most,
            ));
        }

        return (int) $value;
    }

    /**
     * @return float seconds between two polls of a shared tier for changes; 0.0 for never
     * @throws InvalidDsn
     */
    public function poll(): float
    {
        return $this->number('poll', 1.0, 0.0, 3600.0);
    }

    public function invalid(string $why): InvalidDsn
    {
        return new InvalidDsn(\sprintf('This %s: DSN %s', $this->scheme, $why));
    }

    /** @return array{string, int|null}|null null if it is not a valid host with an optional port */
    private static function hostAndPort(#[\SensitiveParameter] string $server): ?array
    {
        if (preg_match(
            '~^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$~D',
            $server,
            $parts,
            \PREG_UNMATCHED_AS_NULL,
        ) !== 1) {
            return null;
        }
        $port = isset($parts[3]) ? (int) $parts[3] : null;

        return $port !== null && ($port < 1 || $port > 65_535) ? null : [$parts[1] ?? $parts[2] ?? '', $port];
    }

    /**
     * Splits "(one)(two)?options". Parentheses within the DSNs must be balanced.
     *
     * @return array{array{string, string}, string}
     * @throws InvalidDsn
     */
    private static function inParentheses(Scheme $scheme, #[\SensitiveParameter] string $text): array
    {
        $pair = '\(((?:[^()]++|(?<nested>\((?:[^()]++|(?&nested))*+\)))*+)\)';
        if (preg_match(\sprintf('~^%s(.*)$~Ds', $pair), $text, $local) !== 1
            || preg_match(\sprintf('~^%s(?:\?(.*))?$~Ds', $pair), $local[3], $shared) !== 1) {
            throw DsnError::inNesting($scheme);
        }

        return [[$local[1], $shared[1]], $shared[3] ?? ''];
    }

    /**
     * @return array<string, string>
     * @throws InvalidDsn
     */
    private static function options(Scheme $scheme, Schemes $schemes, #[\SensitiveParameter] string $query): array
    {
        $options = [];
        foreach ($query === '' ? [] : explode('&', $query) as $assignment) {
            [$option, $value] = [...explode('=', $assignment, 2), ''];
            if (!\in_array($option, $scheme->options, true)) {
                throw DsnError::unknownOption($scheme, $schemes, $option);
            }
            if (isset($options[$option])) {
                throw DsnError::repeatedOption($scheme->name, $option);
            }
            $options[$option] = self::decode($value, $scheme, "option $option");
        }

        return $options;
    }

    /**
     * @param string $part its name, for the message
     * @throws InvalidDsn
     */
    private static function decode(#[\SensitiveParameter] string $text, Scheme $scheme, string $part): string
    {
        if (!str_contains($text, '%')) {
            return $text;
        }
        if (preg_match('~%(?![0-9A-Fa-f]{2})~', $text) === 1) {
            throw DsnError::encoding($scheme->name, $part);
        }

        return rawurldecode($text);
    }
}
