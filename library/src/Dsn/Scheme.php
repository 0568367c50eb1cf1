<?php

declare(strict_types=1);

namespace Larder\Dsn;

/** What a DSN begins with, and what may follow it. */
final class Scheme
{
    /** Options of a store that keeps all values as bytes, where others may write. */
    public const CODEC_OPTIONS = ['serializer', 'compress', 'compress_from', 'classes', 'sign'];
    /** Options of every store that is a server. */
    public const SERVER_OPTIONS = ['timeout', 'persistent', 'on_failure'];
    /** Options of those servers whose connections Larder\Server\ConnectionSettings describes. */
    public const CONNECTION_OPTIONS = [
        'timeout', 'connect_timeout', 'read_timeout', 'persistent', 'on_failure', 'user_file', 'password_file',
    ];
    /** Options that TLS brings besides, in the order of Larder\Internal\Server\Tls. */
    public const TLS_OPTIONS = ['tls_ca_file', 'tls_cert_file', 'tls_key_file', 'tls_peer_name'];
    /** Options that every scheme has, besides its own. */
    public const COMMON_OPTIONS = ['sample', 'default_ttl'];

    /** @var list<string> the names that may stand behind the question mark */
    public readonly array $options;

    /**
     * @param string $name lower case, such as "redis"
     * @param list<string> $options its own; see COMMON_OPTIONS
     * @param bool $isRemote whether it names servers, which may ask for a password
     * @param string $whyNoCodec a sentence: why the options of codecs make no sense here; may be empty
     * @param string $nesting how DSNs stand in parentheses behind the colon, two of them, as an example; empty: they do
     *         not
     * @param string $path the option that may stand as a path behind the host instead; empty for none
     * @param bool $isTls whether its connections are encrypted
     */
    public function __construct(
        public readonly string $name,
        array $options = [],
        public readonly bool $isRemote = false,
        public readonly string $whyNoCodec = '',
        public readonly string $nesting = '',
        public readonly string $path = '',
        public readonly bool $isTls = false,
    ) {
        $this->options = [...$options, ...($isTls ? self::TLS_OPTIONS : []), ...self::COMMON_OPTIONS];
    }

    /**
     * The same with more options.
     *
     * @param list<string> $options
     */
    public function with(array $options): self
    {
        return new self(
            $this->name,
            [...array_values(array_diff($this->options, self::COMMON_OPTIONS)), ...$options],
            $this->isRemote,
            $this->whyNoCodec,
            $this->nesting,
            $this->path,
        );
    }

    /** The same under another name. */
    public function as(string $name, bool $isTls): self
    {
        return new self(
            $name,
            array_values(array_diff($this->options, self::COMMON_OPTIONS)),
            $this->isRemote,
            $this->whyNoCodec,
            $this->nesting,
            $this->path,
            $isTls,
        );
    }
}
