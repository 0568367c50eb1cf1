<?php

declare(strict_types=1);

namespace Larder;

/** One kind of store that Cache::open() looked for, and the result. */
final class CandidateStore
{
    /**
     * @param string $scheme of its DSNs
     * @param bool $isChosen true if the cache keeps its values there
     * @param string $why it was chosen, or not: "the PHP extension apcu is not loaded"
     * @param string $how the command or setting that would make it available; empty if there is nothing to do
     * @param string $whose owner of a chosen store on this machine, such as "user www-data, PHP 8.2"
     */
    public function __construct(
        public readonly string $scheme,
        public readonly bool $isChosen,
        public readonly string $why,
        public readonly string $how = '',
        public readonly string $whose = '',
    ) {}

    /** One line: "apcu: no, the PHP extension apcu is not loaded. To add it: …". */
    public function __toString(): string
    {
        return \sprintf(
            '%s: %s, %s%s%s',
            $this->scheme,
            $this->isChosen ? 'chosen' : 'no',
            $this->why,
            $this->whose === '' ? '' : \sprintf(' (%s)', $this->whose),
            $this->how === '' ? '' : '. ' . $this->how,
        );
    }
}
