<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Profile;
use Larder\Cli\Report\Csv;
use Larder\Cli\Report\Html\HtmlFile;
use Larder\Cli\Report\Markdown;
use Larder\Cli\Report\Output;
use Larder\Cli\Report\Publish;
use Larder\Cli\Report\ResultFile;
use Symfony\Component\Console\Exception\InvalidOptionException;

/** Every way to write a report, by its option of `larder compare`. To add one, add a line here. */
final class Outputs
{
    /** Option whose value is a directory. */
    private const PUBLISH = 'publish';

    /** Value of an option that means standard output. It replaces the tables. */
    private const STANDARD_OUTPUT = '-';

    /**
     * @param Profile|null $profile for outputs that have advice
     * @return array<string, array{help: string, output: Output}> by option
     */
    public static function all(?Profile $profile = null): array
    {
        return [
            'html' => [
                'help' => 'Also write a page for a browser to this file, with charts and the data',
                'output' => new HtmlFile($profile),
            ],
            'json' => [
                'help' => 'Also write the result to this file, as JSON Lines; --json=- prints it instead of the tables',
                'output' => new ResultFile(),
            ],
            'csv' => ['help' => 'Also write a line for each row to this file, as CSV', 'output' => new Csv()],
            'markdown' => ['help' => 'Also write the tables to this file, as Markdown', 'output' => new Markdown()],
            self::PUBLISH => [
                'help' => 'Also put the result into a new folder for this machine and date in this directory',
                'output' => new Publish(),
            ],
        ];
    }

    /**
     * Checks that a file can be written, before anything is measured.
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
            throw new InvalidOptionException(\sprintf(
                '--%s: %s cannot be written. %s',
                $option,
                $file,
                is_dir($parent) ? 'Name a file in a folder of this user.' : "There is no folder $parent.",
            ));
        }

        return $file;
    }
}
