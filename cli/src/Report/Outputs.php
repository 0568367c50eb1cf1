<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Symfony\Component\Console\Exception\InvalidOptionException;

/** Every way to write a report, by the option of `larder compare` that asks for it. A new one is a line here. */
final class Outputs
{
    /** The option whose value is a directory. */
    private const PUBLISH = 'publish';

    /** Asks for standard output, in place of the tables. */
    private const STANDARD_OUTPUT = '-';

    /** @return array<string, array{help: string, output: Output}> by option */
    public static function all(): array
    {
        return [
            'json' => ['help' => 'Also write the result to this file, as JSON Lines; --json=- prints it instead of the tables', 'output' => new ResultFile()],
        ];
    }

    /**
     * Checks before anything is measured that a file can be written.
     *
     * @param string $file value of the option
     * @return string for Output::write()
     * @throws InvalidOptionException
     */
    public static function checked(string $option, string $file): string
    {
        if ($file === self::STANDARD_OUTPUT) {
            return 'php://stdout';
        }
        $parent = file_exists($file) ? $file : \dirname($file);
        if (!is_writable($parent) || (is_dir($file) && $option !== self::PUBLISH)) {
            throw new InvalidOptionException(\sprintf('--%s: %s cannot be written.', $option, $file));
        }

        return $file;
    }
}
