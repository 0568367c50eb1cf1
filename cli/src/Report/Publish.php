<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/**
 * A result for a collection: a folder for each machine, with a folder for each run, named by its date. A run has
 * result.jsonl, environment.txt and report.md. Existing files are never overwritten.
 */
final class Publish implements Output
{
    private const MOST_A_DAY = 1000;

    public function write(Report $report, string $file): void
    {
        $environment = Environment::flat($report->environment);
        $machine = trim(
            (string) preg_replace(
                '/[^a-z0-9]+/',
                '-',
                strtolower(($environment['processor'] ?? '') . ' ' . ($environment['cores'] ?? '?') . ' cores'),
            ),
            '-',
        );
        $date = preg_match('/^\d{4}-\d\d-\d\d/', $environment['date'] ?? '', $match) === 1 ? $match[0] : date('Y-m-d');
        $folder = self::make($file . '/' . $machine, $date);
        (new ResultFile())->write($report, $folder . '/result.jsonl');
        TextFile::write($folder . '/environment.txt', implode("\n", Environment::lines($report->environment)) . "\n");
        TextFile::write($folder . '/report.md', Markdown::text($report));
    }

    /** @return string the folder, which is new: 2026-11-23, or 2026-11-23-2 after that */
    private static function make(string $machine, string $date): string
    {
        if (is_link($machine)) { // in a folder that all users can write, it may be another user's
            throw new \RuntimeException(\sprintf(
                '%s is a symbolic link, which is not followed. Remove it, or name another directory: --publish DIR',
                $machine,
            ));
        }
        if (!is_dir($machine) && !@mkdir($machine, 0o777, true) && !is_dir($machine)) {
            throw new \RuntimeException(\sprintf(
                '%s could not be made. Name a directory that you can write: --publish DIR',
                $machine,
            ));
        }
        for ($run = 1; $run < self::MOST_A_DAY; ++$run) {
            $folder = $machine . '/' . $date . ($run === 1 ? '' : "-$run");
            if (@mkdir($folder)) {
                return $folder;
            }
            if (!file_exists($folder)) {
                break;
            }
        }

        throw new \RuntimeException(\sprintf('No folder for %s could be made in %s. Is it writable?', $date, $machine));
    }
}
