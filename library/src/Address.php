<?php

declare(strict_types=1);

namespace Larder;

use Larder\Codec\CodecOptions;
use Larder\Codec\Failures;
use Larder\Exception\InvalidAddress;
use Larder\Store\NamespaceName;

/**
 * The line that chooses a store, taken apart:
 *
 *     scheme:[name]                                     larder:shop   apcu:
 *     scheme://[user[:password]@]host[:port][,host…][/path][?option=value&…]
 *     scheme:///path[,path…][?…]                        unix sockets, files, directories
 *     tier:(address)(address)[?…]                       a local tier, and the shared one behind it
 *
 * What has a meaning here (? & % , @ / :) is written %3F %26 … inside a name.
 */
final class Address
{
    /**
     * @param string $rest what stands after the scheme and before the options, decoded: a segment, a file, a database
     * @param list<string> $servers "host", "host:port", "[::1]:port"
     * @param array<string, string> $options
     * @param Failures $failures in which the codecs of its stores count what they cannot read
     * @param list<self> $tiers of a tier: address, the local one first; of others none
     */
    private function __construct(
        public readonly Scheme $scheme,
        public readonly string $rest,
        public readonly array $servers,
        public readonly string $user,
        #[\SensitiveParameter]
        public readonly string $password,
        public readonly array $options,
        public readonly Failures $failures,
        public readonly array $tiers = [],
    ) {}

    /** @throws InvalidAddress naming what is known */
    public static function parse(#[\SensitiveParameter] string $address, Failures $failures = new Failures()): self
    {
        if (preg_match('~^tier:(.*)$~Dis', $address, $tier) === 1) {
            [$tiers, $options] = self::inParentheses($tier[1]);

            return new self(Scheme::Tier, '', [], '', '', self::options(Scheme::Tier, $options), $failures, [
                self::parse($tiers[0], $failures),
                self::parse($tiers[1], $failures),
            ]);
        }
        if (preg_match('~^([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?]*))?([^?]*)(?:\?(.*))?$~Ds', $address, $parts, \PREG_UNMATCHED_AS_NULL) !== 1) {
            throw new InvalidAddress(\sprintf('"%s" is not an address: it begins with one of %s', self::shown($address), Scheme::list()));
        }
        $scheme = Scheme::tryFrom(strtolower($parts[1]))
            ?? throw new InvalidAddress(\sprintf('"%s" is not a known kind of store. Known: %s', $parts[1], Scheme::list()));
        $authority = $parts[2] ?? '';
        $at = strrpos($authority, '@');
        [$user, $password] = [...explode(':', $at === false ? '' : substr($authority, 0, $at), 2), ''];
        $hosts = $at === false ? $authority : substr($authority, $at + 1);

        return new self(
            $scheme,
            $parts[3],
            $hosts === '' ? [] : explode(',', $hosts),
            rawurldecode($user),
            rawurldecode($password),
            self::options($scheme, $parts[4] ?? ''),
            $failures,
        );
    }

    /** The same for all addresses of one place, whatever its options say of how to speak to it. */
    public function place(): string
    {
        $servers = $this->servers;
        sort($servers);
        $named = array_intersect_key($this->options, array_flip(['namespace', 'database', 'engine', 'socket']));
        ksort($named);

        return serialize([$this->scheme->value, $servers, $this->name(), $named, array_map(static fn(self $tier): string => $tier->place(), $this->tiers)]);
    }

    /** The part after the scheme as one name or path, decoded. */
    public function name(): string
    {
        return rawurldecode($this->rest);
    }

    /** @throws InvalidAddress when anything stands between the scheme and the options */
    public function refuseName(): void
    {
        $this->refuseServers();
        if ($this->rest !== '') {
            throw $this->invalid(\sprintf('has "%s" after its colon, where nothing is known', $this->name()));
        }
    }

    /** @throws InvalidAddress when a host stands where this scheme takes none */
    public function refuseServers(): void
    {
        if ($this->servers !== []) {
            throw $this->invalid(\sprintf('has no host: write %s:///path with three slashes', $this->scheme->value));
        }
    }

    /**
     * @return non-empty-list<Endpoint> of a scheme with several servers: hosts, or else sockets
     * @throws InvalidAddress
     */
    public function endpoints(int $defaultPort): array
    {
        if ($this->servers === []) {
            $sockets = array_map(rawurldecode(...), explode(',', $this->rest));
            foreach ($sockets as $socket) {
                if (!str_starts_with($socket, '/')) {
                    throw $this->invalid(\sprintf('names no server: %1$s://127.0.0.1:%2$d or %1$s:///path/of.sock', $this->scheme->value, $defaultPort));
                }
            }

            return array_map(Endpoint::unix(...), $sockets);
        }
        if ($this->rest !== '' && $this->rest !== '/') {
            throw $this->invalid(\sprintf('has "%s" after its host, where nothing is known', $this->name()));
        }

        return array_map(fn(string $server): Endpoint => $this->tcp($server, $defaultPort), $this->servers);
    }

    /** @throws InvalidAddress */
    public function tcp(string $server, int $defaultPort): Endpoint
    {
        if (preg_match('~^(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+))(?::(\d{1,5}))?$~D', $server, $parts, \PREG_UNMATCHED_AS_NULL) !== 1
            || (int) ($parts[3] ?? 1) < 1 || (int) ($parts[3] ?? 1) > 65_535) {
            throw $this->invalid(\sprintf('has "%s" where a host and a port are expected, as in %s:%d', $server, '127.0.0.1', $defaultPort));
        }

        return Endpoint::tcp($parts[1] ?? $parts[2] ?? '', isset($parts[3]) ? (int) $parts[3] : $defaultPort);
    }

    /**
     * @template T of string
     * @param non-empty-list<T> $choices
     * @param T $default
     * @return T
     * @throws InvalidAddress
     */
    public function choice(string $option, array $choices, string $default): string
    {
        $value = $this->options[$option] ?? $default;
        if (!\in_array($value, $choices, true)) {
            throw $this->invalid(\sprintf('has %s=%s. Known: %s', $option, $value, implode(', ', $choices)));
        }

        return $value;
    }

    /** @throws InvalidAddress */
    public function number(string $option, float $default, float $least, float $most): float
    {
        $value = $this->options[$option] ?? (string) $default;
        if (!is_numeric($value) || (float) $value < $least || (float) $value > $most) {
            throw $this->invalid(\sprintf('has %s=%s, which is not a number from %s to %s', $option, $value, $least, $most));
        }

        return (float) $value;
    }

    /** @throws InvalidAddress */
    public function namespace(): string
    {
        $namespace = $this->options['namespace'] ?? 'larder';
        if (!NamespaceName::isValid($namespace)) {
            throw $this->invalid(\sprintf('has namespace=%s. %s', $namespace, NamespaceName::RULE));
        }

        return $namespace;
    }

    /**
     * @return float seconds to wait for a server
     * @throws InvalidAddress
     */
    public function timeout(): float
    {
        return $this->number('timeout', 1.0, 0.001, 3600.0);
    }

    /**
     * @return float seconds after which a host asks a shared tier again what was changed; 0.0 for never
     * @throws InvalidAddress
     */
    public function poll(): float
    {
        return $this->number('poll', 1.0, 0.0, 3600.0);
    }

    public function invalid(string $why): InvalidAddress
    {
        return new InvalidAddress(\sprintf('This %s: address %s', $this->scheme->value, $why));
    }

    /**
     * Takes "(one)(two)?options" apart; parentheses inside of the addresses come in pairs.
     *
     * @return array{array{string, string}, string}
     * @throws InvalidAddress
     */
    private static function inParentheses(string $text): array
    {
        $pair = '\(((?:[^()]++|(?<nested>\((?:[^()]++|(?&nested))*+\)))*+)\)';
        if (preg_match(\sprintf('~^%s(.*)$~Ds', $pair), $text, $local) !== 1
            || preg_match(\sprintf('~^%s(?:\?(.*))?$~Ds', $pair), $local[3], $shared) !== 1) {
            throw new InvalidAddress(\sprintf(
                '"tier:%s" is not an address: it names two in parentheses, the local tier and the shared one, and its own options after them, as in tier:(larder:)(redis://127.0.0.1:6379)?poll=1. A parenthesis inside of a name is %%28 or %%29',
                self::shown($text),
            ));
        }

        return [[$local[1], $shared[1]], $shared[3] ?? ''];
    }

    /**
     * @return array<string, string>
     * @throws InvalidAddress
     */
    private static function options(Scheme $scheme, string $query): array
    {
        $options = [];
        foreach ($query === '' ? [] : explode('&', $query) as $assignment) {
            [$option, $value] = [...explode('=', $assignment, 2), ''];
            if (!\in_array($option, $scheme->options(), true)) {
                throw new InvalidAddress(\sprintf(
                    '"%s" is not an option of %s: addresses. Known: %s%s',
                    $option,
                    $scheme->value,
                    $scheme->options() === [] ? 'none' : implode(', ', $scheme->options()),
                    CodecOptions::whyNot($option, $scheme),
                ));
            }
            $options[$option] = rawurldecode($value);
        }

        return $options;
    }

    /** Without the password. */
    private static function shown(string $address): string
    {
        return (string) preg_replace('~//[^/?]*@~', '//…@', $address);
    }
}
