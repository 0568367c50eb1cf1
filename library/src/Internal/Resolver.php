<?php

declare(strict_types=1);

namespace Larder\Internal;

use Larder\Cache;
use Larder\CandidateStore;
use Larder\Codec\Codec;
use Larder\Codec\Failure;
use Larder\Codec\Failures;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Event\Failed;
use Larder\Event\Observer;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\CodecOptions;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Decorator\Breaker\BreakerStore;
use Larder\Internal\Decorator\Breaker\OutageRecord;
use Larder\Internal\Decorator\Sampling\SamplingStore;
use Larder\Internal\Decorator\Sharding\ShardedStore;
use Larder\Internal\Decorator\Tier\TierDriver;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Internal\Driver\Apcu\Apcu;
use Larder\Internal\Driver\Auto\AutoDriver;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Event\Events;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Process\Functions;
use Larder\Server\ConnectionSettings;
use Psr\Log\LoggerInterface;

/** Opens the store of a DSN, and reports which stores were looked for, in which order, and the result for each. */
final class Resolver implements Opener
{
    /** Options that are part of way(), each as a key. */
    private const WAY = [
        'user_file' => 0, 'password_file' => 0, 'sentinel_user' => 0, 'sentinel_password_file' => 0,
        'timeout' => 0, 'connect_timeout' => 0, 'read_timeout' => 0,
        'tls_ca_file' => 0, 'tls_cert_file' => 0, 'tls_key_file' => 0, 'tls_peer_name' => 0,
        'client' => 0, 'database' => 0,
    ];

    private Store|StoreUnavailable $outcome;
    private ?SamplingStore $sampled = null;
    private float $defaultTtl = 0.0;

    private ?Failures $failures = null;

    /**
     * @var list<array{string, bool, string, 3?: string}> arguments of CandidateStore for the stores that auto: has
     *         tried
     */
    private array $tried = [];

    /** @var array<string, object> see shared() */
    private array $shared = [];

    /** True if a store was opened that asks the callable for credentials. */
    private bool $isCredentialsUsed = false;

    /**
     * @param \Closure(): LoggerInterface $logger called when there is something to log
     * @param \SensitiveParameterValue|null $credentials the callable that returns credentials, which may have a
     *         password
     */
    private function __construct(
        private readonly Dsn $dsn,
        private readonly \Closure $logger,
        private readonly ?\SensitiveParameterValue $credentials,
        private readonly ?BorrowedClient $client = null,
        private readonly ?Dsn $local = null,
        public readonly ?Events $events = null,
    ) {}

    /**
     * Opens the first store that works here. Later ones are not tried.
     *
     * @param LoggerInterface|null $logger null for PHP's error log
     * @param \Closure(Endpoint): (string|array{string, string})|null $credentials see Cache::open()
     * @param BorrowedClient|null $client client of the application that the store uses; the DSN then only has the
     *         options
     * @param Dsn|null $local of a local tier in front of it
     * @param Observer|null $observer of the cache, its servers and its codecs
     * @throws InvalidDsn
     */
    public static function at(
        Dsn $dsn,
        ?LoggerInterface $logger = null,
        #[\SensitiveParameter]
        ?\Closure $credentials = null,
        ?BorrowedClient $client = null,
        ?Dsn $local = null,
        ?Observer $observer = null,
    ): self {
        $log = static fn(): LoggerInterface => $logger === null ? new ErrorLog() : new SafeLogger($logger);
        $events = $observer === null ? null : new Events($observer, $log());

        return self::opened(new self(
            $dsn,
            $log,
            $credentials === null ? null : new \SensitiveParameterValue($credentials),
            $client,
            $local,
            $events,
        ));
    }

    /**
     * @param string $name the end of the namespace
     * @throws InvalidDsn if the namespace is too long or malformed
     */
    public function inSubNamespace(string $name): self
    {
        $dsn = $this->dsn->inSubNamespace($name, $this->client ?? new Drivers());
        $local = $this->local?->inSubNamespace($name, new Drivers());
        $resolver = new self($dsn, $this->logger, $this->credentials, $this->client, $local, $this->events);
        $resolver->failures = $this->failures();
        $resolver->shared = &$this->shared;

        return self::opened($resolver);
    }

    /** @throws InvalidDsn */
    private static function opened(self $resolver): self
    {
        [$dsn, $credentials] = [$resolver->dsn, $resolver->credentials];

        try {
            $every = $dsn->sample();
            $resolver->defaultTtl = $dsn->defaultTtl();
            $resolver->outcome = $resolver->open($dsn);
            if ($credentials !== null && !$resolver->isCredentialsUsed) {
                throw $dsn->invalid('opens no store that asks a callable for credentials');
            }
            $resolver->sampled = $every === 0 ? null : new SamplingStore($resolver->outcome, $every);
        } catch (StoreUnavailable $none) {
            $resolver->outcome = $none;
        }

        return $resolver;
    }

    /** @throws StoreUnavailable if no store is available: what each one lacks, and the remedy */
    public function store(): Store
    {
        return $this->sampled ?? ($this->outcome instanceof Store ? $this->outcome : throw $this->outcome);
    }

    /** @return float seconds, 0.0 for no expiry, from the DSN */
    public function defaultTtl(): float
    {
        return $this->defaultTtl;
    }

    /**
     * The stores that were looked for when the cache was opened. The current state is reported for a tier, for an
     * engine that keeps nothing at the moment, and for a server, to which this connects.
     *
     * @return list<CandidateStore> in the order of the search; at least one
     */
    public function candidates(): array
    {
        $tried = match (true) {
            $this->tried !== [] => $this->tried,
            $this->outcome instanceof StoreUnavailable => [
                [$this->dsn->scheme, false, $this->outcome->what, $this->outcome->how],
            ],
            default => [[
                $this->dsn->scheme,
                true,
                $this->client === null ? 'the DSN names it' : 'the application has given its client',
            ]],
        };
        $candidates = array_map(
            static fn(array $candidate): CandidateStore => new CandidateStore(...$candidate),
            $tried,
        );

        return array_map(
            fn(CandidateStore $candidate): CandidateStore
                => $candidate->isChosen ? $this->asItIsNow($candidate) : $candidate,
            $candidates,
        );
    }

    public function open(Dsn $dsn): Store
    {
        if ($this->client === null || $dsn !== $this->dsn) {
            $driver = Drivers::get($dsn->scheme);
            self::checkHost($driver);

            return $driver->open($dsn, $this);
        }
        $store = Drivers::ofClient($this->client->class)->over($this->client, $dsn, $this);

        return $this->local === null ? $store : TierDriver::before($this->open($this->local), $store, $dsn);
    }

    /** @throws StoreUnavailable if the host disables functions that the driver's stores need; see Functions */
    private static function checkHost(Driver $driver): void
    {
        if (ini_get('disable_functions') !== '') {
            $scheme = $driver->scheme()->name;
            StoreUnavailable::unlessThere($scheme, Functions::missingFor($scheme));
        }
    }

    public function scope(Dsn $dsn): Scope
    {
        if ($dsn->tiers !== []) {
            return $this->scope($dsn->tiers[1]);
        }
        $driver = Drivers::get($dsn->scheme);

        return $driver instanceof AutoDriver
            ? Scope::Process
            : ($driver->variants()[0] ?? null)->scope ?? Scope::Server;
    }

    public function search(Dsn $dsn): Store
    {
        $found = null;
        $tried = $missing = [];
        $split = '';
        foreach (Drivers::AUTOMATIC as $scheme) {
            if ($found !== null) {
                $tried[] = [$scheme, false, 'it comes after one that works here'];

                continue;
            }
            $driver = Drivers::get($scheme);

            try {
                self::checkHost($driver);
                $found = $driver->open($dsn, $this);
                $tried[] = $this->found($scheme, $split);
            } catch (StoreUnavailable $none) {
                $missing[] = $none;
                $tried[] = [$scheme, false, $none->what, $none->how];
                $split = $scheme === 'apcu' && Apcu::isSplit() ? $scheme : $split;
            }
        }
        if ($dsn === $this->dsn) {
            $this->tried = $tried;
        }

        return $found ?? throw StoreUnavailable::because(
            $dsn->scheme,
            'nothing that it looks for works here',
            implode('. ', array_map(
                static fn(StoreUnavailable $none): string => $none->getMessage(),
                $missing,
            )),
        );
    }

    public function servers(Dsn $dsn, int $defaultPort, \Closure $connect): Store
    {
        $stores = [];
        foreach ($dsn->endpoints($defaultPort) as $endpoint) {
            $stores[(string) $endpoint] = $this->withBreaker(
                $connect($this->connection($dsn, $endpoint)),
                $dsn,
                $endpoint,
            );
        }

        return \count($stores) === 1 ? reset($stores) : new ShardedStore($stores);
    }

    public function connection(Dsn $dsn, Endpoint $endpoint): ConnectionSettings
    {
        $this->isCredentialsUsed = true;

        /** @var (\Closure(Endpoint): (string|array{string, string}))|null $ask */
        $ask = $this->credentials?->getValue();

        return ConnectionSettings::of($dsn, $endpoint, $ask);
    }

    public function withBreaker(RemoteStore $store, Dsn $dsn, Endpoint $endpoint, bool $throws = false): Store
    {
        [$logger, $events, $isAsked] = [
            $this->logger,
            $this->events,
            $this->credentials !== null,
        ]; // see failuresWhenNeeded()

        return new BreakerStore($store, static fn(bool $hasFailed): ?Breaker
            => $hasFailed
                || UserFolder::mayHold(UserFolder::AWAY, static fn(): string => self::record($dsn, $endpoint, $isAsked))
                ? self::breaker($dsn, $endpoint, $isAsked, $logger, $events) : null, $throws || $dsn->throws());
    }

    public function guard(Dsn $dsn, Endpoint $endpoint): \Closure
    {
        return self::breaker($dsn, $endpoint, $this->credentials !== null, $this->logger, $this->events)->call(...);
    }

    /** @param \Closure(): LoggerInterface $logger */
    private static function breaker(
        Dsn $dsn,
        Endpoint $endpoint,
        bool $isAsked,
        \Closure $logger,
        ?Events $events,
    ): Breaker {
        $record = new OutageRecord(name: self::record($dsn, $endpoint, $isAsked));
        $probe = 1.0 + 4.0 * max($dsn->connectTimeout(), $dsn->readTimeout());

        return new Breaker($dsn->scheme, (string) $endpoint, $record, $logger, probe: $probe, events: $events);
    }

    private static function record(Dsn $dsn, Endpoint $endpoint, bool $isAsked): string
    {
        return hash('sha256', $endpoint . self::wayOf($dsn, $isAsked));
    }

    public function shared(string $class, string $key, \Closure $make): object
    {
        $known = $this->shared["$class $key"] ?? null;

        return $known instanceof $class ? $known : $this->shared["$class $key"] = $make();
    }

    public function way(Dsn $dsn): string
    {
        return hash('sha256', self::wayOf($dsn, $this->credentials !== null));
    }

    /** Includes the password. */
    private static function wayOf(Dsn $dsn, bool $isAsked): string
    {
        $options = array_intersect_key($dsn->options, self::WAY);
        ksort($options);

        return serialize([$dsn->scheme, $dsn->name(), $dsn->user, $dsn->password(), $isAsked, $options]);
    }

    public function logger(): LoggerInterface
    {
        return ($this->logger)();
    }

    public function withOwnBreaker(RemoteStore $store, Dsn $dsn): Store
    {
        [$scheme, $logger, $events] = [$dsn->scheme, $this->logger, $this->events];

        return new BreakerStore($store, static fn(bool $hasFailed): ?Breaker => $hasFailed
            ? new Breaker(
                $scheme,
                BorrowedClient::NAME,
                logger: $logger,
                threshold: 1,
                events: $events,
            ) : null, $dsn->throws());
    }

    public function codec(Dsn $dsn, string|\Closure $database = ''): Codec
    {
        foreach (Scheme::CODEC_OPTIONS as $option) {
            if (isset($dsn->options[$option])) {
                return CodecOptions::codec($dsn, $this->failuresWhenNeeded(), $database);
            }
        }

        return new PhpCodec(failures: $this->failuresWhenNeeded());
    }

    public function failures(): Failures
    {
        return $this->failures ?? ($this->failuresWhenNeeded())();
    }

    /**
     * @return \Closure(): Failures holds no reference to this object. Otherwise a store would keep this object, and
     *         with it its connection
     */
    private function failuresWhenNeeded(): \Closure
    {
        [$scheme, $events] = [$this->dsn->scheme, $this->events];
        $failures = &$this->failures;

        return static function () use ($scheme, $events, &$failures): Failures {
            return $failures ??= new Failures($events === null ? null : static fn(Failure $failure) => $events->tell(
                new Failed($scheme, '', $failure->value),
            ));
        };
    }

    private function asItIsNow(CandidateStore $candidate): CandidateStore
    {
        $why = $candidate->why;
        $how = $candidate->how;
        $driver = $this->client === null ? Drivers::get($candidate->scheme) : Drivers::ofClient($this->client->class);
        $problem = $driver instanceof Diagnoses ? $driver->problem() : '';
        if ($this->outcome instanceof TierStore) {
            $why .= ': ' . $this->outcome->explanation();
        } elseif ($this->outcome instanceof RemoteStore) {
            try {
                $this->outcome->reach();
            } catch (StoreUnavailable $none) {
                $why .= ', but it cannot be used now: ' . $none->what;
                $how = $none->how;
            }
        } elseif ($problem !== '') {
            $why .= ', but it keeps nothing now: ' . $problem;
        }

        $whose = $driver instanceof Driver ? ($driver->variants()[0] ?? null)->owner ?? '' : '';

        return new CandidateStore($candidate->scheme, true, $why, $how, $whose);
    }

    /**
     * Warns on the command line if the web server's PHP finds another store: a script may clear one that the web server
     * does not use.
     *
     * @param string $split the store that was skipped, though the web server's PHP would take it; may be empty
     * @return array{string, true, string, 3?: string}
     */
    private function found(string $scheme, string $split): array
    {
        $isCommandLine = \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed'], true);
        $isSplit = $scheme === 'apcu' && Apcu::isSplit();
        $differs = match (true) {
            $isSplit && $isCommandLine => \sprintf('the web server\'s PHP has another %s, of its own workers', $scheme),
            $isSplit => \sprintf('the command line has no part in this %s', $scheme),
            $split !== '' && $isCommandLine => \sprintf(
                'a web server\'s PHP with these extensions takes %s, which is off on the command line only',
                $split,
            ),
            default => '',
        };
        if ($differs === '') {
            return [$scheme, true, 'the first that works here'];
        }
        $how = 'So that both have one cache, name its store, such as larder: '
            . 'or file:///var/cache/app (docs/operate.md)';
        if ($isCommandLine) {
            $this->logger()->warning(
                'auto: takes {store} here, but {other}. {how}',
                ['store' => $scheme, 'other' => $differs, 'how' => $how],
            );
        }

        return [$scheme, true, \sprintf('the first that works here, but %s', $differs), $how];
    }
}
