<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** A PHP that runs code with the engine, and returns its result. */
abstract class Php
{
    /**
     * Runs the body of a function, and returns its result.
     *
     * @throws PhpFailed if it throws, or does not end normally
     * @phpstan-impure
     */
    abstract public function run(string $code): mixed;

    /** @phpstan-impure */
    final public function number(string $code): int
    {
        $value = $this->run($code);

        return \is_int($value) ? $value : throw new PhpFailed(\sprintf('no integer, but %s: %s', get_debug_type($value), $code));
    }

    /** @phpstan-impure */
    final public function text(string $code): string
    {
        $value = $this->run($code);

        return \is_string($value) ? $value : throw new PhpFailed(\sprintf('no string, but %s: %s', get_debug_type($value), $code));
    }

    /**
     * A number of larder_info(), by its path of names.
     *
     * @phpstan-impure
     */
    final public function figure(string ...$names): int
    {
        return $this->number('return larder_info()' . implode('', array_map(static fn(string $name): string => "['$name']", $names)) . ';');
    }

    /**
     * Id of the process that answers now.
     *
     * @phpstan-impure
     */
    final public function pid(): int
    {
        return $this->number('return getmypid();');
    }
}
