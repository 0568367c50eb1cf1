<?php

declare(strict_types=1);

namespace Larder\Dsn;

/** A scheme of DSNs, and what a DSN of it may contain. */
final class Scheme
{
    /** Options of a store that keeps all values as bytes, and that others may write to. */
    public const CODEC_OPTIONS = ['serializer', 'compress', 'compress_from', 'classes', 'sign'];
    /** Options of every store that is a server. */
    public const SERVER_OPTIONS = ['timeout', 'persistent', 'on_failure'];
    /** Options of servers whose connections Larder\Server\ConnectionSettings describes. */
    public const CONNECTION_OPTIONS = [
        'timeout', 'connect_timeout', 'read_timeout', 'persistent', 'on_failure', 'user_file', 'password_file',
    ];
    /** Further options with TLS, in the order of Larder\Internal\Server\Tls. */
    public const TLS_OPTIONS = ['tls_ca_file', 'tls_cert_file', 'tls_key_file', 'tls_peer_name'];
    /** Options that every scheme has in addition to its own. */
    public const COMMON_OPTIONS = ['sample', 'default_ttl'];

    /** @var list<string> names of the options that may follow the question mark */
    public readonly array $options;

    /**
     * @param string $name lower case, such as "redis"
     * @param list<string> $options its own; see COMMON_OPTIONS
     * @param bool $isRemote true if it names servers, which may need a password
     * @param string $whyNoCodec a sentence: why the options of codecs make no sense here; may be empty
     * @param string $nesting an example with two DSNs in parentheses after the colon; empty if the scheme nests none
     * @param string $path the option that may be written as a path after the host; empty for none
     * @param bool $isTls true if its connections are encrypted
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
     * The scheme with more options.
     *
     * @param list<string> $options
     */
    public function with(array $options): self
    {
        return $this->copy($this->name, $options, $this->isTls);
    }

    /** The scheme under another name. */
    public function as(string $name, bool $isTls): self
    {
        return $this->copy($name, [], $isTls);
    }

    /** @param list<string> $more options */
    private function copy(string $name, array $more, bool $isTls): self
    {
        $own = array_diff($this->options, self::COMMON_OPTIONS, $this->isTls ? self::TLS_OPTIONS : []);

        return new self(
            $name,
            [...array_values($own), ...$more],
            $this->isRemote,
            $this->whyNoCodec,
            $this->nesting,
            $this->path,
            $isTls,
        );
    }
}
