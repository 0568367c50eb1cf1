<?php

declare(strict_types=1);

namespace Larder;

use Larder\Codec\Codec;
use Larder\Codec\CodecOptions;
use Larder\Codec\Failure;
use Larder\Codec\Failures;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Decorator\Breaker\Breaker;
use Larder\Decorator\Breaker\BreakerStore;
use Larder\Decorator\Breaker\OutageRecord;
use Larder\Decorator\Sampling\SamplingStore;
use Larder\Decorator\Sharding\ShardedStore;
use Larder\Decorator\Tier\ClientTier;
use Larder\Decorator\Tier\TierStore;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Diagnoses;
use Larder\Driver\Driver;
use Larder\Driver\HeldClient;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Event\Events;
use Larder\Event\Failed;
use Larder\Event\Observer;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Server\ConnectionSettings;
use Psr\Log\LoggerInterface;

/** Opens the store of a DSN, and can tell what was looked for, in which order, and what came of each. */
final class Resolver implements Opener
{
    private Store|StoreUnavailable $outcome;
    private ?SamplingStore $sampled = null;
    private float $defaultTtl = 0.0;

    /** @var list<CandidateStore> */
    private array $candidates = [];

    /** @var \ArrayObject<string, object> see shared() */
    private \ArrayObject $shared;

    /** Whether a store was opened that asks the callable for credentials. */
    private bool $isCredentialsUsed = false;

    /** @param \Closure(Endpoint): (string|array{string, string})|null $credentials */
    private function __construct(
        private readonly Dsn $dsn,
        private readonly LoggerInterface $logger,
        public readonly Failures $failures,
        private readonly ?\Closure $credentials,
        private readonly ?HeldClient $client = null,
        private readonly ?Dsn $local = null,
        public readonly ?Events $events = null,
    ) {
        $this->shared = new \ArrayObject();
    }

    /**
     * Opens the first store that works here; those after it are not looked at.
     *
     * @param \Closure(Endpoint): (string|array{string, string})|null $credentials see Cache::open()
     * @param HeldClient|null $client of the application, which the store uses; the DSN says the rest then
     * @param Dsn|null $local of a local tier before that
     * @param Observer|null $observer of the cache, its servers and its codecs
     * @throws InvalidDsn
     */
    public static function at(
        Dsn $dsn,
        LoggerInterface $logger = new ErrorLog(),
        ?\Closure $credentials = null,
        ?HeldClient $client = null,
        ?Dsn $local = null,
        ?Observer $observer = null,
    ): self {
        $events = $observer === null ? null : new Events($observer, $logger);
        $scheme = $dsn->scheme;
        $failures = new Failures($events === null ? null : static fn(Failure $failure) => $events->tell(new Failed($scheme, '', $failure->value)));

        return self::opened(new self($dsn, $logger, $failures, $credentials, $client, $local, $events));
    }

    /**
     * @param string $name the end of the namespace
     * @throws InvalidDsn when the namespace is too long or malformed
     */
    public function inSubNamespace(string $name): self
    {
        $dsn = $this->dsn->inSubNamespace($name, $this->client ?? new Drivers());
        $local = $this->local?->inSubNamespace($name, new Drivers());
        $resolver = new self($dsn, $this->logger, $this->failures, $this->credentials, $this->client, $local, $this->events);
        $resolver->shared = $this->shared;

        return self::opened($resolver);
    }

    /** @throws InvalidDsn */
    private static function opened(self $resolver): self
    {
        [$dsn, $credentials, $client] = [$resolver->dsn, $resolver->credentials, $resolver->client];

        try {
            $every = $dsn->sample();
            $resolver->defaultTtl = $dsn->defaultTtl();
            $resolver->outcome = $resolver->open($dsn);
            if ($credentials !== null && !$resolver->isCredentialsUsed) {
                throw $dsn->invalid('opens no store that asks a callable for credentials');
            }
            $resolver->sampled = $every === 0 ? null : new SamplingStore($resolver->outcome, $every);
            $candidate = new CandidateStore($dsn->scheme, true, $client === null ? 'the DSN names it' : 'the application has given its client');
        } catch (StoreUnavailable $none) {
            $resolver->outcome = $none;
            $candidate = new CandidateStore($dsn->scheme, false, $none->what, $none->how);
        }
        $resolver->candidates = $resolver->candidates === [] ? [$candidate] : $resolver->candidates;

        return $resolver;
    }

    /** @throws StoreUnavailable when there was none: what is missing for each, and how to get it */
    public function store(): Store
    {
        return $this->sampled ?? ($this->outcome instanceof Store ? $this->outcome : throw $this->outcome);
    }

    /** @return float seconds, 0.0 for no expiry, as the DSN says */
    public function defaultTtl(): float
    {
        return $this->defaultTtl;
    }

    /**
     * What was found when the cache was opened. An engine that keeps nothing at the moment, a tier, and a server, which is
     * connected to for it, are told of as they are now.
     *
     * @return list<CandidateStore> in the order looked for; of at least one
     */
    public function candidates(): array
    {
        return array_map(fn(CandidateStore $candidate): CandidateStore => $candidate->isChosen ? $this->asItIsNow($candidate) : $candidate, $this->candidates);
    }

    public function open(Dsn $dsn): Store
    {
        if ($this->client === null || $dsn !== $this->dsn) {
            return Drivers::get($dsn->scheme)->open($dsn, $this);
        }
        $store = Drivers::ofClient($this->client->class)->over($this->client, $dsn, $this);

        return $this->local === null ? $store : Drivers::before($this->open($this->local), $store, $dsn);
    }

    public function search(Dsn $dsn): Store
    {
        $found = null;
        $candidates = $missing = [];
        $split = '';
        foreach (Drivers::automatic() as $driver) {
            $scheme = $driver->scheme()->name;
            if ($found !== null) {
                $candidates[] = new CandidateStore($scheme, false, 'it comes after one that works here');

                continue;
            }

            try {
                $found = $driver->openAuto($dsn, $this);
                $candidates[] = $this->found($driver, $split);
            } catch (StoreUnavailable $none) {
                $missing[] = $none;
                $candidates[] = new CandidateStore($scheme, false, $none->what, $none->how);
                $split = $driver->isSplit() ? $scheme : $split;
            }
        }
        if ($dsn === $this->dsn) {
            $this->candidates = $candidates;
        }

        return $found ?? throw StoreUnavailable::because($dsn->scheme, 'nothing that it looks for works here', implode('. ', array_map(
            static fn(StoreUnavailable $none): string => $none->getMessage(),
            $missing,
        )));
    }

    public function servers(Dsn $dsn, int $defaultPort, \Closure $connect): Store
    {
        $stores = [];
        foreach ($dsn->endpoints($defaultPort) as $endpoint) {
            $stores[(string) $endpoint] = $this->withBreaker($connect($this->connection($dsn, $endpoint)), $dsn, $endpoint);
        }

        return \count($stores) === 1 ? reset($stores) : new ShardedStore($stores);
    }

    public function connection(Dsn $dsn, Endpoint $endpoint): ConnectionSettings
    {
        $this->isCredentialsUsed = true;

        return ConnectionSettings::of($dsn, $endpoint, $this->credentials);
    }

    public function withBreaker(RemoteStore $store, Dsn $dsn, Endpoint $endpoint, bool $throws = false): Store
    {
        $throws = $throws || $dsn->throws();
        $record = OutageRecord::ofThisUser(serialize([(string) $endpoint, $this->way($dsn)]));

        return new BreakerStore($store, new Breaker($dsn->scheme, (string) $endpoint, $record, $this->logger, probe: 1.0 + 4.0 * max($dsn->connectTimeout(), $dsn->readTimeout())), $throws, $this->events);
    }

    public function shared(string $class, string $key, \Closure $make): object
    {
        $known = $this->shared["$class $key"] ?? null;

        return $known instanceof $class ? $known : $this->shared["$class $key"] = $make();
    }

    public function way(Dsn $dsn): string
    {
        $options = array_intersect_key($dsn->options, array_flip([...Scheme::LOGIN_OPTIONS, ...Scheme::SENTINEL_OPTIONS, ...Scheme::TIMEOUT_OPTIONS, ...Scheme::TLS_OPTIONS, 'client', 'database']));
        ksort($options);

        return hash('sha256', serialize([$dsn->scheme, $dsn->name(), $dsn->user, $dsn->password(), $this->credentials !== null, $options]));
    }

    public function logger(): LoggerInterface
    {
        return $this->logger;
    }

    public function withOwnBreaker(RemoteStore $store, Dsn $dsn): Store
    {
        $throws = $dsn->choice('on_failure', ['miss', 'throw'], 'miss') === 'throw';

        return new BreakerStore($store, new Breaker($dsn->scheme, HeldClient::NAME, logger: $this->logger, threshold: 1), $throws, $this->events);
    }

    public function codec(Dsn $dsn): Codec
    {
        return CodecOptions::codec($dsn, $this->failures);
    }

    public function failures(): Failures
    {
        return $this->failures;
    }

    private function asItIsNow(CandidateStore $candidate): CandidateStore
    {
        $why = $candidate->why;
        $how = $candidate->how;
        $driver = $this->client === null ? Drivers::get($candidate->scheme) : Drivers::ofClient($this->client->class);
        $problem = $driver instanceof Diagnoses ? $driver->problem() : '';
        if ($this->outcome instanceof TierStore || $this->outcome instanceof ClientTier) {
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
     * Tells on the command line if the web server's PHP finds another store: a script may clear what that does not use.
     *
     * @param string $split the store that it passed by, though the web server's PHP would take it; may be empty
     */
    private function found(AutoCandidate $driver, string $split): CandidateStore
    {
        $scheme = $driver->scheme()->name;
        $isCommandLine = \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed'], true);
        $differs = match (true) {
            $driver->isSplit() && $isCommandLine => \sprintf('the web server\'s PHP has another %s, of its own workers', $scheme),
            $driver->isSplit() => \sprintf('the command line has no part in this %s', $scheme),
            $split !== '' && $isCommandLine => \sprintf('a web server\'s PHP with these extensions takes %s, which is off on the command line only', $split),
            default => '',
        };
        if ($differs === '') {
            return new CandidateStore($scheme, true, 'the first that works here');
        }
        $how = 'So that both have one cache, name its store, such as larder: or file:///var/cache/app (docs/cli-sees-nothing.md)';
        if ($isCommandLine) {
            $this->logger->warning('auto: takes {store} here, but {other}. {how}', ['store' => $scheme, 'other' => $differs, 'how' => $how]);
        }

        return new CandidateStore($scheme, true, \sprintf('the first that works here, but %s', $differs), $how);
    }
}
