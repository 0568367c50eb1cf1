<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Tests\Compare\LyingStore;

/** Records when each key is set: a line of process, key and hrtime() in the file that LARDER_TEST_RECORD names. */
final class RecordingStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        return $value;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        file_put_contents(
            (string) getenv('LARDER_TEST_RECORD'),
            \sprintf("%d %s %d\n", getmypid(), $key, \hrtime(true)),
            \FILE_APPEND,
        );

        return parent::set($key, $value, $ttl);
    }
}
