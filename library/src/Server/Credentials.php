<?php

declare(strict_types=1);

namespace Larder\Server;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreUnavailable;

/**
 * A user and a password: as they are, in files that are read at each connecting, or asked of a callable then. So what
 * rotates is taken over without a new cache.
 */
final class Credentials
{
    private readonly \SensitiveParameterValue $password;
    private string $userFile = '';
    private string $passwordFile = '';
    private string $options = '';

    /** @var (\Closure(Endpoint): (string|array{string, string}))|null */
    private ?\Closure $ask = null;

    /** Without a password the user is logged in with an empty one; without both nobody is logged in. */
    public function __construct(private readonly string $user = '', #[\SensitiveParameter] string $password = '')
    {
        $this->password = new \SensitiveParameterValue($password);
    }

    /**
     * Line ends at the end of a file do not count, as in the secrets of Docker and Kubernetes.
     *
     * @param string $userFile may be empty, like $passwordFile: then $user and $password are used as they are
     * @param string $options what the names of the options for them begin with, in messages
     */
    public static function inFiles(string $userFile, string $passwordFile, string $user = '', #[\SensitiveParameter] string $password = '', string $options = ''): self
    {
        $credentials = new self($user, $password);
        $credentials->options = $options;
        $credentials->userFile = $userFile;
        $credentials->passwordFile = $passwordFile;

        return $credentials;
    }

    /**
     * @param \Closure(Endpoint): (string|array{string, string}) $ask gives the password, or user and password
     * @param string $user for a callable that gives the password alone
     */
    public static function askedOf(\Closure $ask, string $user = ''): self
    {
        $credentials = new self($user);
        $credentials->ask = $ask;

        return $credentials;
    }

    /** Whether nobody is to be logged in, whatever files and callables would say. */
    public function areNone(): bool
    {
        return $this->ask === null && $this->user . $this->userFile . $this->passwordFile === '' && $this->password->getValue() === '';
    }

    /**
     * Reads the files, or calls the callable.
     *
     * @param string $store its scheme, for messages
     * @return array{string, string} user and password; both are empty when nobody is to be logged in
     * @throws StoreUnavailable when a file cannot be read, or the callable throws an exception
     */
    public function current(string $store, Endpoint $endpoint): array
    {
        if ($this->ask !== null) {
            return $this->asked($this->ask, $store, $endpoint);
        }
        $password = $this->password->getValue();

        return [
            $this->userFile === '' ? $this->user : self::read($this->userFile, $this->options . 'user_file', $store),
            $this->passwordFile === '' ? $password : self::read($this->passwordFile, $this->options . 'password_file', $store),
        ];
    }

    /**
     * @param \Closure(Endpoint): mixed $ask
     * @return array{string, string}
     */
    private function asked(\Closure $ask, string $store, Endpoint $endpoint): array
    {
        try {
            $login = $ask($endpoint);
        } catch (\Exception $cause) {
            throw StoreUnavailable::because($store, \sprintf('the callable for the credentials of %s threw %s', $endpoint, $cause::class), 'Its own message says why', $cause);
        }
        if (\is_string($login)) {
            return [$this->user, $login];
        }

        return \is_array($login) && \is_string($login[0] ?? null) && \is_string($login[1] ?? null)
            ? [$login[0], $login[1]]
            : throw new \UnexpectedValueException('A callable for credentials returns the password, or [user, password], as strings');
    }

    private static function read(string $file, string $option, string $store): string
    {
        $text = @file_get_contents($file);
        if ($text === false) {
            throw StoreUnavailable::because($store, \sprintf('the option %s names no file that this user can read', $option), 'Does it exist? ls -l shows who may read it');
        }

        return rtrim($text, "\r\n");
    }
}
