<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Dsn\Schemes;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Process\Pid;

/** The application's client, or the closure that returns it. Larder never closes it, nor changes its settings. */
final class BorrowedClient implements Schemes
{
    /** Name in messages, in place of a server's. */
    public const NAME = 'the application\'s client';

    /** A closure may have a password. */
    private readonly \SensitiveParameterValue $given;
    private ?object $client = null;
    private int $process;
    private readonly int $opener;

    /** @var \WeakMap<object, int> the process that each client was first used in */
    private \WeakMap $processes;

    /** @var list<object> of the parent of this fork: freeing them could end their connections */
    private array $inherited = [];

    /**
     * @param object $given the client, or a closure that returns it
     * @param string $class its class, see classOf()
     * @param Schemes $others have the options that this store refuses over a client
     */
    public function __construct(
        #[\SensitiveParameter]
        object $given,
        public readonly string $class,
        private readonly Scheme $scheme,
        private readonly Schemes $others,
    ) {
        $this->given = new \SensitiveParameterValue($given);
        $this->opener = $this->process = Pid::own();
        $this->processes = new \WeakMap();
        if (!$given instanceof \Closure) {
            $this->client = $this->own($given);
        }
    }

    /** @throws InvalidDsn for options that belong to the client */
    public function dsn(#[\SensitiveParameter] string $options): Dsn
    {
        return Dsn::parse(\sprintf('%s:?%s', $this->scheme->name, $options), $this);
    }

    /** The client, to read its settings, unless a closure would have to be called for it. */
    public function ifThere(): ?object
    {
        return $this->client;
    }

    /** Names the client in messages, and distinguishes it from others of this process. */
    public function endpoint(): Endpoint
    {
        return Endpoint::unix(\sprintf('%s (%s %d)', self::NAME, $this->class, spl_object_id($this->given())));
    }

    /** @throws StoreFailed if the closure returns none; in a fork, if there is only the parent's client */
    public function get(): object
    {
        if ($this->process !== Pid::own() && $this->client !== null) {
            $this->inherited = [...$this->inherited, $this->client];
            $this->client = null;
        }
        $this->process = Pid::own();

        return $this->client ??= $this->own($this->made());
    }

    /** True if renew() can return another client. */
    public function isRenewable(): bool
    {
        return $this->given() instanceof \Closure;
    }

    /**
     * Calls the closure again after the client has lost its connection: the application may have connected another one.
     * Not during a transaction of the application: another client's call would run outside of it.
     *
     * @return bool true if there is another client now
     * @throws StoreFailed as get()
     */
    public function renew(): bool
    {
        $lost = $this->get();
        if ($this->isRenewable()) {
            $this->client = $this->own($this->made());
        }

        return $this->client !== $lost;
    }

    public function scheme(string $name): Scheme
    {
        return $this->scheme;
    }

    public function schemes(): array
    {
        return [$this->scheme, ...$this->others->schemes()];
    }

    /**
     * True if the connection is persistent and may belong to the parent process too, which would receive its replies.
     * phpredis does not report if its connection is persistent, but a fork gets another one from its pool.
     */
    public function isInFork(): bool
    {
        return $this->opener !== Pid::own();
    }

    /** @return StoreFailed for a client with a persistent connection in a fork */
    public function shared(): StoreFailed
    {
        return $this->failure(
            "this process was forked, and the persistent connection of the client is its parent's too."
                . ' Let the closure make one that is not persistent',
        );
    }

    /** A client that was lost in the parent process stays the parent's: the parent uses it again. */
    private function own(object $client): object
    {
        $this->processes[$client] ??= Pid::own();

        return $this->processes[$client] === Pid::own()
            ? $client
            : throw $this->failure('this process was forked, and its parent uses the client.'
                . ' Open the cache here over another client, or over a closure that makes one');
    }

    private function failure(string $what, ?\Throwable $cause = null): StoreFailed
    {
        return StoreFailed::because($this->scheme->name, $what, $cause);
    }

    private function given(): object
    {
        return $this->given->getValue();
    }

    private function made(): object
    {
        $given = $this->given();
        if (!$given instanceof \Closure) {
            return $given;
        }

        try {
            $client = $given();
        } catch (\Exception|\TypeError $error) { // each framework throws its own exception; or it returns null
            $message = $error->getMessage();

            throw $this->failure("the application's function that connects has failed ($message)", $error);
        }

        return \is_object($client)
            ? $client
            : throw $this->failure("the application's function that connects has returned no client");
    }

    /**
     * @param object $given a client, or a closure with its class as the return type
     * @throws NotSupported if the closure has no such type
     */
    public static function classOf(#[\SensitiveParameter] object $given): string
    {
        if (!$given instanceof \Closure) {
            return $given::class;
        }
        $type = (new \ReflectionFunction($given))->getReturnType();
        if (!$type instanceof \ReflectionNamedType || $type->isBuiltin()) {
            throw new NotSupported('The closure does not say which client it returns: give it a return type,'
                . ' as in fn(): \Redis => …');
        }

        return $type->getName();
    }
}
