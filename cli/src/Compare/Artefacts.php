<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;

/** Known reasons why a store is slower than a reader would expect. */
final class Artefacts
{
    /**
     * Longer values do not fit into the first segment of the loopback connection: the sender waits for its
     * acknowledgement.
     */
    private const DELAYED_FROM = 64_000;

    /** @return list<string> notes for the row */
    public static function of(Subject $subject): array
    {
        return array_keys(array_filter([
            'about 40 ms are a delayed TCP acknowledgement, for which the extension waits' => [
                $subject->store,
                $subject->connection,
                $subject->operation,
            ] === ['memcache', 'tcp', 'set']
                && $subject->bytes >= self::DELAYED_FROM,
            'without opcache each get compiles the file' => $subject->store === 'php-file'
                && $subject->settings !== []
                && $subject->operation === 'get',
        ]));
    }
}
