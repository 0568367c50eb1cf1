<?php

declare(strict_types=1);

namespace Larder\Internal\Server;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreUnavailable;

/**
 * A user and a password: constant, or read from files or asked of a callable at each connecting, so that they can
 * rotate.
 */
final class Credentials
{
    private readonly \SensitiveParameterValue $password;
    private string $userFile = '';
    private string $passwordFile = '';
    private string $options = '';

    /** The callable, which may have a password. */
    private ?\SensitiveParameterValue $ask = null;

    /** With a user alone, the password is empty; without both there is no login. */
    public function __construct(private readonly string $user = '', #[\SensitiveParameter] string $password = '')
    {
        $this->password = new \SensitiveParameterValue($password);
    }

    /**
     * Line ends at the end of a file do not count, as in the secrets of Docker and Kubernetes.
     *
     * @param string $userFile may be empty, like $passwordFile: then $user and $password count
     * @param string $options prefix of the names of their options, in messages
     */
    public static function inFiles(
        string $userFile,
        string $passwordFile,
        string $user = '',
        #[\SensitiveParameter]
        string $password = '',
        string $options = '',
    ): self {
        $credentials = new self($user, $password);
        $credentials->options = $options;
        $credentials->userFile = $userFile;
        $credentials->passwordFile = $passwordFile;

        return $credentials;
    }

    /**
     * @param \Closure(Endpoint): (string|array{string, string}) $ask returns the password, or user and password
     * @param string $user for a callable that returns the password alone
     */
    public static function askedOf(#[\SensitiveParameter] \Closure $ask, string $user = ''): self
    {
        $credentials = new self($user);
        $credentials->ask = new \SensitiveParameterValue($ask);

        return $credentials;
    }

    /**
     * Reads the files, or calls the callable.
     *
     * @param string $store scheme in messages
     * @return array{string, string} user and password; both are empty without a login
     * @throws StoreUnavailable if a file cannot be read, or the callable throws an exception
     */
    public function current(string $store, Endpoint $endpoint): array
    {
        $ask = $this->ask?->getValue();
        if ($ask instanceof \Closure) {
            return $this->asked($ask, $store, $endpoint);
        }
        $user = $this->user;
        $password = $this->password->getValue();
        if ($this->userFile !== '') {
            $user = self::read($this->userFile, $this->options . 'user_file', $store);
        }
        if ($this->passwordFile !== '') {
            $password = self::read($this->passwordFile, $this->options . 'password_file', $store);
        }

        return [$user, $password];
    }

    /** @return array{string, string} */
    private function asked(#[\SensitiveParameter] \Closure $ask, string $store, Endpoint $endpoint): array
    {
        try {
            $login = $ask($endpoint);
        } catch (\Exception $cause) {
            $what = \sprintf('the callable for the credentials of %s threw %s', $endpoint, $cause::class);

            throw StoreUnavailable::because($store, $what, 'Its own message says why', $cause);
        }
        if (\is_string($login)) {
            return [$this->user, $login];
        }

        return \is_array($login) && \is_string($login[0] ?? null) && \is_string($login[1] ?? null)
            ? [$login[0], $login[1]]
            : throw new \UnexpectedValueException(
                'A callable for credentials returns the password, or [user, password], as strings',
            );
    }

    private static function read(string $file, string $option, string $store): string
    {
        $text = @file_get_contents($file);
        if ($text === false) {
            throw StoreUnavailable::because(
                $store,
                "the option $option names no file that this user can read",
                'Does it exist? ls -l shows who may read it',
            );
        }

        return rtrim($text, "\r\n");
    }
}
