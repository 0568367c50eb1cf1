<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Dsn\Schemes;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Process\Pid;

/** A client that the application holds, or the closure that returns it. It is never closed here, and its settings stay. */
final class HeldClient implements Schemes
{
    /** As in messages, where the name of a server would stand. */
    public const NAME = 'the application\'s client';

    private ?object $client = null;
    private int $process;
    private readonly int $opener;

    /** @var \WeakMap<object, int> the process that each client was first used in */
    private \WeakMap $processes;

    /** @var list<object> of processes that this one was forked from: freeing them could end their connections */
    private array $inherited = [];

    /**
     * @param object $given the client, or a closure that returns it
     * @param string $class its class, see classOf()
     * @param Schemes $others of which options are known that the store does not take here
     */
    public function __construct(
        private readonly object $given,
        public readonly string $class,
        private readonly Scheme $scheme,
        private readonly Schemes $others,
    ) {
        $this->opener = $this->process = Pid::own();
        $this->processes = new \WeakMap();
        if (!$given instanceof \Closure) {
            $this->client = $this->own($given);
        }
    }

    /** @throws InvalidDsn for options that the store does not take here */
    public function dsn(#[\SensitiveParameter] string $options): Dsn
    {
        return Dsn::parse(\sprintf('%s:?%s', $this->scheme->name, $options), $this);
    }

    /** The client if it is there already, to look at its settings: no closure is called for that. */
    public function ifThere(): ?object
    {
        return $this->client;
    }

    /** Names the client in messages, and tells it from others of this process. */
    public function endpoint(): Endpoint
    {
        return Endpoint::unix(\sprintf('%s (%s %d)', self::NAME, $this->class, spl_object_id($this->given)));
    }

    /** @throws StoreFailed when the closure gives none; in a fork, when there is no other client than that of the parent */
    public function get(): object
    {
        if ($this->process !== Pid::own() && $this->client !== null) {
            $this->inherited = [...$this->inherited, $this->client];
            $this->client = null;
        }
        $this->process = Pid::own();

        return $this->client ??= $this->own($this->given instanceof \Closure ? self::made($this->given) : $this->given);
    }

    /** Whether renew() can give another client. */
    public function isRenewable(): bool
    {
        return $this->given instanceof \Closure;
    }

    /**
     * Calls the closure again after the client has lost its connection: the application may have connected another one. Not
     * while the application is using the client, as in a transaction, which a call by another client would run outside of.
     *
     * @return bool whether there is another client now
     * @throws StoreFailed as get()
     */
    public function renew(): bool
    {
        $lost = $this->get();
        if ($this->given instanceof \Closure) {
            $this->client = $this->own(self::made($this->given));
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
     * Whether a persistent connection would be that of the parent too, and receive the replies to what the parent asks.
     * phpredis does not tell whether its connection is one, but has a pool, from which a fork gets another.
     */
    public function isInFork(): bool
    {
        return $this->opener !== Pid::own();
    }

    /** @return StoreFailed for a client with a persistent connection in a fork */
    public function shared(): StoreFailed
    {
        return StoreFailed::because($this->scheme->name, 'this process was forked, and the persistent connection of the client is its parent\'s too. Let the closure make one that is not persistent');
    }

    /** Also a client that was lost in the parent, and that it uses again, is the parent's. */
    private function own(object $client): object
    {
        $this->processes[$client] ??= Pid::own();

        return $this->processes[$client] === Pid::own() ? $client : throw StoreFailed::because($this->scheme->name, 'this process was forked, and its parent uses the client. Open the cache here over another client, or over a closure that makes one');
    }

    private function made(\Closure $closure): object
    {
        try {
            $client = $closure();
        } catch (\Exception|\TypeError $error) { // each framework has another one for a server that is away; or it returns null
            throw StoreFailed::because($this->scheme->name, \sprintf('the application\'s function that connects has failed (%s)', $error->getMessage()), $error);
        }

        return \is_object($client) ? $client : throw StoreFailed::because($this->scheme->name, 'the application\'s function that connects has returned no client');
    }

    /**
     * @param object $given a client, or a closure with its class as the return type
     * @throws NotSupported when the closure does not say it
     */
    public static function classOf(object $given): string
    {
        if (!$given instanceof \Closure) {
            return $given::class;
        }
        $type = (new \ReflectionFunction($given))->getReturnType();
        if (!$type instanceof \ReflectionNamedType || $type->isBuiltin()) {
            throw new NotSupported('The closure does not say which client it returns: give it a return type, as in fn(): \Redis => …');
        }

        return $type->getName();
    }
}
