<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use Larder\Server\ConnectionSettings;
use Predis\PredisException;
use RedisException;

/**
 * A connection to a Redis or Valkey server, which opens with the first command.
 *
 * After a failure it is closed, and the next call opens a new one: a late reply must not answer the next request. It is
 * also closed after an answer that took too long, because some clients have no time limit for the rest of an answer
 * that has begun. The abstract methods throw the client's exceptions: RedisException, PredisException, or TypeError,
 * which Predis throws if another client has closed their shared persistent connection.
 */
abstract class ServerConnection implements RedisConnection
{
    /** KEYS: names. Returns bytes and milliseconds to live, or nothing, in their order. */
    private const READ = <<<'LUA'
        local all = {}
        for i, name in ipairs(KEYS) do
            local bytes = redis.call('GET', name)
            all[2 * i - 1] = bytes
            all[2 * i] = bytes and redis.call('PTTL', name)
        end
        return all
        LUA;

    /**
     * KEYS: names, ARGV: a number of bytes. Returns the first bytes of each string value. Needs no other right than
     * GET.
     */
    private const HEADS = <<<'LUA'
        local all = {}
        for i, name in ipairs(KEYS) do
            local bytes = redis.pcall('GET', name)
            all[i] = type(bytes) == 'string' and string.sub(bytes, 1, ARGV[1])
        end
        return all
        LUA;

    /** Of one SCAN, because many names would block the server. */
    private const NAMES_AT_ONCE = '1000';
    /** Errors of a server that works, but refuses this request: its memory is full, the value is of another kind, … */
    private const REFUSAL = '/^(OOM|WRONGTYPE|ERR(?! max number of clients)) /';
    /** Errors of a server that refuses all requests of this kind: it is read-only, the user lacks a right. */
    private const REFUSES_ALL = '/^(MISCONF|NOREPLICAS|READONLY|NOPERM) /';
    /** Errors about one command, for which a client may return false. */
    protected const OF_THE_COMMAND = '/^(ERR|NOSCRIPT|WRONGTYPE) /';
    /** Nanoseconds. Servers that close idle connections wait a second at least. */
    private const IDLE = 1_000_000_000;
    /** Limit of a whole answer, in timeouts: each wait for a part may take almost one. */
    private const TIMEOUTS = 4;

    /** @var array<string, string> SHA-1 of scripts */
    private array $hashes = [];
    /** The process that opened it, 0 while it is closed. */
    private int $process = 0;
    /** The process that opened it last, or is trying to. */
    protected int $opening = 0;
    private bool $isAsking = false;
    /** The time of the last use, in nanoseconds. */
    private int $used = 0;
    /** The time when it was opened, likewise. */
    private int $connected = 0;
    private \SensitiveParameterValue $login;
    /** Nanoseconds that an answer may take. */
    protected readonly int $longestReply;
    /** @var array{string|null}|null the value that was read while the connection was opened, null if there is none */
    protected ?array $early = null;

    /** @throws StoreUnavailable if the client is missing */
    public function __construct(
        protected readonly ConnectionSettings $settings,
        protected readonly int $database = 0,
        protected readonly ?ServerRole $role = null,
    ) {
        $this->checkClient();
        $this->login = new \SensitiveParameterValue([]);
        $this->longestReply = (int) (self::TIMEOUTS * 1e9 * $settings->readTimeout);
    }

    /** @throws Redirection if the server's role is not the one needed */
    public function reach(string $name): void
    {
        $this->open();

        try {
            // In a cluster, the name may belong to another server. Other servers that cannot write refuse PING with
            // MISCONF too.
            $this->hasSlots() ? $this->asks(fn(): mixed => $this->answers()) : $this->remove([$name]);
        } catch (StoreFailed $failure) {
            throw $failure->isBusy ? $failure : RedisErrorHint::ofRequest($failure);
        }
    }

    public function get(string $name): ?string
    {
        // Every value is read here: each call that is spared counts, as of asks().
        try {
            $start = \hrtime(true);
            if ($this->isAsking || $start - $this->used >= self::IDLE || $this->process !== Pid::own()) {
                $start = $this->ready($name);
                [$early, $this->early] = [$this->early, null];
            }
            $bytes = isset($early) ? $early[0] : $this->read($name);
            $this->used = \hrtime(true);
            if ($this->used - $start > $this->longestReply) {
                throw $this->late();
            }
        } catch (\Throwable $error) {
            $this->refused($error, isRead: true);

            return null;
        }

        return $bytes;
    }

    public function getMany(array $names, int $most = 0): array
    {
        $values = $this->asks(function () use ($names, $most): array {
            $ask = static fn(string $name): array => $most === 0
                ? ['GET', $name] : ['EVAL', self::HEADS, '1', $name, (string) $most];
            $values = match (true) {
                $this->hasSlots() => $this->sendAll(array_map($ask, $names)),
                $most === 0 => $this->send('MGET', ...$names),
                default => $this->evaluate(self::HEADS, $names, (string) $most),
            };
            if ($this->hasSlots() && $most !== 0) {
                $values = array_map(static fn(mixed $one): mixed => \is_array($one) ? $one[0] ?? null : null, $values);
            }

            return \is_array($values) ? array_values($values) : throw $this->failure($values);
        });
        $found = [];
        foreach ($names as $i => $name) {
            if (\is_array($values) && \is_string($values[$i] ?? null)) {
                $found[$name] = $values[$i];
            }
        }

        return $found;
    }

    public function has(string $name): bool
    {
        return $this->asks(fn(): bool => $this->count($this->send('EXISTS', $name)) === 1) === true;
    }

    public function entries(array $names): array
    {
        $stored = $this->asks(fn(): mixed => $this->hasSlots()
            ? array_merge(...array_map(
                static fn(mixed $one): array => \is_array($one) && $one !== [] ? $one : [null, null],
                $this->sendAll(array_map(static fn(string $name): array => ['EVAL', self::READ, '1', $name], $names)),
            ))
            : $this->evaluate(self::READ, $names));
        $entries = [];
        foreach ($names as $i => $name) {
            [$bytes, $live] = \is_array($stored)
                ? [$stored[2 * $i] ?? null, $stored[2 * $i + 1] ?? null]
                : [null, null];
            if (\is_string($bytes)) {
                $entries[$name] = [$bytes, \is_int($live) ? $live : -1];
            }
        }

        return $entries;
    }

    public function set(string $name, string $bytes, int $milliseconds): bool
    {
        try {
            $now = \hrtime(true);
            if ($this->isAsking || $now - $this->used >= self::IDLE || $this->process !== Pid::own()) {
                $this->ready();
            } else {
                $this->used = $now;
            }
            if ($this->write($name, $bytes, $milliseconds)) {
                return true;
            }
        } catch (\Throwable $error) {
            $this->abandonWrite($error);
        }
        // A server hangs up on a value that is too large, as it does when it goes away. Only the next command shows the
        // difference.
        $this->closeConnection();

        return false;
    }

    public function setMany(array $values, int $milliseconds): array
    {
        try {
            $this->ready();
            if ($this->writeMany($values, $milliseconds)) {
                return [];
            }
        } catch (\Throwable $error) {
            $this->abandonWrite($error);
        }
        $this->closeConnection(); // as in set(), and after an error more replies may come

        return array_keys($values);
    }

    public function remove(array $names): bool
    {
        return $this->asks(fn(): true => $this->unlink($names)) === true;
    }

    public function clear(string $prefix): bool
    {
        return $this->asks(function () use ($prefix): bool {
            foreach ($this->scan($prefix . '*') as $names) {
                $this->unlink($names);
            }

            return $this->isAnswering();
        }, isOneAnswer: false) === true;
    }

    public function names(string $prefix): iterable
    {
        try {
            $this->ready();
            yield from $this->scan($prefix . '*');
        } catch (\Throwable $error) {
            $this->refused($error);
        }
    }

    public function command(string $command, string ...$arguments): mixed
    {
        return $this->asks(fn(): mixed => $this->send($command, ...$arguments));
    }

    public function script(string $script, string $name, string ...$arguments): mixed
    {
        return $this->asks(fn(): mixed => $this->evaluate($script, [$name], ...$arguments));
    }

    /**
     * Makes calls about a slot that is being moved to this server, and still belongs to another one.
     *
     * @template T
     * @param \Closure(): T $work of one name
     * @return T
     */
    public function asking(\Closure $work): mixed
    {
        $this->isAsking = true;

        try {
            return $work();
        } finally {
            $this->isAsking = false;
        }
    }

    abstract protected function checkClient(): void;

    /**
     * Opens a connection, logged in and with the database chosen.
     *
     * @param string $early name of a value to read at once, if that saves a round trip; may be empty
     */
    abstract protected function connect(bool $persistent, string $early): void;

    /** Closes the connection for good, even a persistent one. Throws nothing. */
    abstract protected function disconnect(): void;

    /** @return mixed as command() */
    abstract protected function send(string $command, string ...$arguments): mixed;

    /**
     * Sends several commands at once.
     *
     * @param list<non-empty-list<string>> $commands
     * @return list<mixed> their answers
     */
    abstract protected function sendAll(array $commands): array;

    /**
     * @param mixed $answer an answer that is no reply to the command
     * @return \Exception the server's refusal, or a message that the reply is one to another command
     */
    abstract protected function failure(mixed $answer): \Exception;

    protected function read(string $name): ?string
    {
        $bytes = $this->send('GET', $name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        return self::isStatus(
            $milliseconds > 0
                ? $this->send('PSETEX', $name, (string) $milliseconds, $bytes)
                : $this->send('SET', $name, $bytes),
            'OK',
        );
    }

    /** @param array<string, string> $values */
    protected function writeMany(array $values, int $milliseconds): bool
    {
        $ttl = $milliseconds > 0 ? ['PX', (string) $milliseconds] : [];
        $answers = $this->sendAll(array_map(
            static fn(string $name, string $bytes): array => ['SET', $name, $bytes, ...$ttl],
            array_keys($values),
            $values,
        ));

        return array_filter($answers, static fn(mixed $answer): bool => !self::isStatus($answer, 'OK')) === [];
    }

    /** @return iterable<non-empty-list<string>> names in batches */
    protected function scan(string $pattern): iterable
    {
        return $this->scanBy($this->send(...), $pattern);
    }

    /**
     * @param \Closure(string, string...): mixed $send
     * @return iterable<non-empty-list<string>>
     */
    final protected function scanBy(\Closure $send, string $pattern): iterable
    {
        $position = '0';
        do {
            $answer = $send('SCAN', $position, 'MATCH', $pattern, 'COUNT', self::NAMES_AT_ONCE);
            if (!\is_array($answer) || !\is_scalar($answer[0] ?? null) || !\is_array($answer[1] ?? null)) {
                throw $this->failure($answer);
            }
            $position = (string) $answer[0];
            $names = array_values(array_filter($answer[1], is_string(...)));
            if ($names !== []) {
                yield $names;
            }
        } while ($position !== '0');
    }

    /** False if the client has closed the connection by itself. */
    protected function isConnected(): bool
    {
        return true;
    }

    /** True if a command may only name keys of one slot. */
    protected function hasSlots(): bool
    {
        return $this->role?->hasSlots() === true;
    }

    final protected static function isStatus(mixed $answer, string $status): bool
    {
        return $answer === true || $answer === $status;
    }

    /** @return array{}|array{string}|array{string, string} the password, or user and password, which may be empty */
    protected function login(): array
    {
        /** @var array{string, string} $login */
        $login = $this->login->getValue();
        [$user, $password] = $login;

        return match (true) {
            $user !== '' => [$user, $password],
            $password !== '' => [$password],
            default => [],
        };
    }

    /**
     * Distinguishes persistent connections of Larder, which are all alike, from those of the program. Each request logs
     * in again, so a rotated password opens no new ones. A fork inherits its parent's connections, and must not find
     * them.
     */
    protected function connectionName(): string
    {
        $login = $this->login();

        return $login === [] && $this->settings->tls === null
            ? 'larder-' . $this->opening . '-' . $this->database
            : 'larder-' . $this->opening . '-' . hash('sha256', serialize([
                \count($login),
                \count($login) === 2 ? $login[0] : '',
                $this->database,
                $this->settings->tls?->identity(),
            ]));
    }

    /** A server that cannot write its snapshots answers PING with an error. */
    protected function isAnswering(): bool
    {
        try {
            return $this->answers();
        } catch (RedisException|PredisException $error) {
            return str_starts_with($error->getMessage(), 'MISCONF ') ? true : throw $error;
        }
    }

    /**
     * Connects, unless it is connected.
     *
     * @throws StoreUnavailable|Redirection|StoreFailed as reach()
     */
    protected function open(string $early = ''): void
    {
        $this->opening = Pid::own();
        if ($this->process === $this->opening) {
            return;
        }
        $this->early = null;
        $this->login = new \SensitiveParameterValue($this->settings->login('redis'));
        $warnings = [];

        try {
            // PHP reports problems with a host name or with TLS in warnings.
            Warnings::collect(fn() => $this->reconnect($early), $warnings);
            if ($this->role !== null) {
                $this->takeRole($this->role);
            }
        } catch (\Exception|\TypeError $cause) {
            if (!$this->isOfClient($cause)) {
                throw $cause;
            }
            $this->disconnect();

            // Without the cause, whose trace contains the client's arguments, the password too.
            throw RedisErrorHint::of($this->settings, $cause->getMessage(), $warnings);
        }
        $this->process = $this->opening;
        $this->used = $this->connected = hrtime(true);
    }

    /**
     * Connects, unless it is connected. An idle connection is tested first, because clients must neither send a command
     * twice nor reconnect by themselves.
     *
     * @return int nanoseconds: the time when it was ready
     */
    protected function ready(string $early = ''): int
    {
        $now = hrtime(true);
        if (
            $this->process !== 0
            && $this->process === Pid::own()
            && ($now - $this->used < self::IDLE || $this->stands())
        ) {
            $this->used = $now;
        } else {
            try {
                $this->open($this->role === null ? $early : '');
            } catch (StoreUnavailable $none) {
                $reason = \sprintf('%s. %s', $none->what, $none->how);

                throw RedisErrorHint::isRefusal($none->what)
                    ? StoreFailed::refused('redis', $reason)
                    : StoreFailed::because('redis', $reason, $none);
            }
        }
        if ($this->isAsking) {
            $this->send('ASKING');
        }

        return $this->used;
    }

    private function reconnect(string $early): void
    {
        if ($this->settings->persistent) {
            try {
                $this->connect(true, $early);

                return;
            } catch (\Exception|\TypeError $error) {
                if (!$this->isOfClient($error)) {
                    throw $error;
                }
                // A request that died may have left an answer in the connection.
                $this->disconnect();
            }
        }
        $this->connect(false, '');
    }

    /** @throws Redirection if the server's role is not the one needed */
    private function takeRole(ServerRole $needed): void
    {
        if ($needed === ServerRole::ClusterReplica) {
            $this->send('READONLY');
        } elseif ($needed === ServerRole::Master) {
            $answer = $this->send('ROLE');
            $role = \is_array($answer) && \is_string($answer[0] ?? null) ? $answer[0] : 'unknown';
            if ($role !== 'master') {
                $this->disconnect();

                throw Redirection::noMaster($role);
            }
        }
    }

    private function answers(): bool
    {
        return self::isStatus($this->send('PING'), 'PONG');
    }

    /**
     * Sends the script's hash. Sends the whole script if the server does not know it or refuses, or if ASKING allows one
     * command only.
     *
     * @param non-empty-list<string> $names
     */
    private function evaluate(string $script, array $names, string ...$arguments): mixed
    {
        $rest = [(string) \count($names), ...$names, ...$arguments];
        $answer = $this->isAsking ? false : $this->send('EVALSHA', $this->hashes[$script] ??= sha1($script), ...$rest);

        return $answer === false ? $this->send('EVAL', $script, ...$rest) : $answer;
    }

    /** @param non-empty-list<string> $names */
    private function unlink(array $names): true
    {
        array_map($this->count(...), $this->hasSlots() && \count($names) > 1
            ? $this->sendAll(array_map(static fn(string $name): array => ['UNLINK', $name], $names))
            : [$this->send('UNLINK', ...$names)]);

        return true;
    }

    private function count(mixed $answer): int
    {
        return \is_int($answer) ? $answer : throw $this->failure($answer);
    }

    /**
     * @param \Closure(): mixed $work
     * @param bool $isOneAnswer false if it waits for many
     * @return mixed false if the server answered with a refusal
     */
    private function asks(\Closure $work, bool $isOneAnswer = true): mixed
    {
        try {
            $start = $this->ready();
            $answer = $work();
            if ($isOneAnswer && hrtime(true) - $start > $this->longestReply) {
                throw $this->late();
            }

            return $answer;
        } catch (\Throwable $error) {
            $this->refused($error);

            return false;
        }
    }

    /** True if the connection can be used; it is closed if not. */
    private function stands(): bool
    {
        try {
            if ($this->isAnswering()) {
                return true;
            }
            $this->closeConnection();
        } catch (\Throwable $error) {
            $this->abandon($error);
        }

        return false;
    }

    /**
     * Throws, unless the server answered and refused.
     *
     * @param bool $isRead true for a read of one value. A user without the right to read cannot use the cache, and gets
     *         that error
     */
    private function refused(\Throwable $error, bool $isRead = false): void
    {
        $this->abandon($error);
        if ($isRead && str_starts_with($error->getMessage(), 'NOPERM ')) {
            throw StoreFailed::refused('redis', \sprintf('%s: %s', $this->settings->endpoint, $error->getMessage()));
        }
        $refusal = $this->refusalOfAll($error);
        if ($refusal !== null) {
            throw $refusal;
        }
        if (preg_match(self::REFUSAL, $error->getMessage()) !== 1) {
            $what = \sprintf('no proper answer from %s (%s)', $this->settings->endpoint, $error->getMessage());

            throw $this->stoodUntilNow() && $this->isReachable()
                ? StoreFailed::over('redis', $what, $error)
                : StoreFailed::because('redis', $what, $error);
        }
    }

    private function abandonWrite(\Throwable $error): void
    {
        $this->abandon($error);
        $refusal = $this->refusalOfAll($error);
        if ($refusal !== null) {
            throw $refusal;
        }
    }

    private function refusalOfAll(\Throwable $error): ?StoreFailed
    {
        return preg_match(self::REFUSES_ALL, $error->getMessage()) === 1
            ? StoreFailed::ofRequest(
                'redis',
                \sprintf('%s: %s', $this->settings->endpoint, $error->getMessage()),
            ) : null;
    }

    /**
     * True if the connection that has just failed had worked for a while, and did not time out. Only for a server that
     * was found by asking others: many processes may lose their connections to it at once, and a pause of all would
     * make that worse.
     */
    private function stoodUntilNow(): bool
    {
        $now = hrtime(true);

        return $this->role !== null
            && $now - $this->connected >= self::IDLE
            && $now - $this->used < 1e9 * $this->settings->readTimeout;
    }

    private function isReachable(): bool
    {
        try {
            $this->open();

            return true;
        } catch (StoreUnavailable|Redirection) {
            return false;
        }
    }

    /** Closes the connection, whatever was thrown, even by a signal handler: an answer may still arrive. */
    private function abandon(\Throwable $error): void
    {
        $redirection = $this->role === null ? null : Redirection::of($error->getMessage());
        if ($redirection !== null) {
            if (!$this->isConnected()) { // the answer was complete, so the connection can be used
                $this->process = 0;
            }

            throw $redirection;
        }
        $isOfClient = $this->isOfClient($error);
        if ($isOfClient && $this->isConnected() && $this->refusalOfAll($error) !== null) {
            return; // this answer was complete too
        }
        $this->closeConnection();
        if (!$isOfClient) {
            throw $error;
        }
    }

    /**
     * False for exceptions of other code that runs during the call, such as a signal handler. Predis also throws
     * exceptions of PHP, such as RuntimeException for a malformed length.
     */
    private function isOfClient(\Throwable $error): bool
    {
        return $error instanceof RedisException || $error instanceof PredisException || $error instanceof \TypeError
            || (class_exists(PredisException::class, false) && str_starts_with(
                $error->getFile(),
                \dirname((string) (new \ReflectionClass(PredisException::class))->getFileName()) . '/',
            ));
    }

    private function late(): StoreFailed
    {
        return StoreFailed::because(
            'redis',
            \sprintf(
                'an answer from %s took longer than %g seconds',
                $this->settings->endpoint,
                self::TIMEOUTS * $this->settings->readTimeout,
            ),
        );
    }

    private function closeConnection(): void
    {
        if ($this->process !== 0 && $this->process === Pid::own()) {
            $this->disconnect();
            $this->process = 0;
        }
    }
}
