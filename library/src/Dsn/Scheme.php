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
    /** Options that every scheme has, besides its own. */
    public const COMMON_OPTIONS = ['sample'];

    /** @var list<string> the names that may stand behind the question mark */
    public readonly array $options;

    /**
     * @param string $name lower case, such as "redis"
     * @param list<string> $options its own; see COMMON_OPTIONS
     * @param bool $isRemote whether it names servers, which may ask for a password
     * @param string $whyNoCodec a sentence: why the options of codecs make no sense here; may be empty
     * @param string $nesting how DSNs stand in parentheses behind the colon, two of them, as an example; empty: they do not
     */
    public function __construct(
        public readonly string $name,
        array $options = [],
        public readonly bool $isRemote = false,
        public readonly string $whyNoCodec = '',
        public readonly string $nesting = '',
    ) {
        $this->options = [...$options, ...self::COMMON_OPTIONS];
    }
}
