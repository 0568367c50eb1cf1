<?php

declare(strict_types=1);

namespace Larder\Driver\Apcu;

use Larder\Codec\Failure;
use Larder\Codec\Failures;
use Larder\Codec\Unreadable;

/** What ApcuStore does with a value that APCu has, but PHP cannot make again here: it is a miss, and counted. */
trait CountsUnreadable
{
    private readonly Failures $failures;

    abstract public function get(string $key, mixed $default = null): mixed;

    /** @param \Throwable $error of MissingClass, or of a class that refuses its data */
    private function unreadable(\Throwable $error, mixed $default): mixed
    {
        $this->failures->add($error instanceof Unreadable ? $error->failure : Failure::Refused);

        return $default;
    }

    /**
     * Where one of several values cannot be read, and PHP does not say which.
     *
     * @param list<string> $keys
     * @return array<array-key, mixed>
     */
    private function oneByOne(array $keys, mixed $default): array
    {
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = $this->get($key, $default);
        }

        return $values;
    }
}
