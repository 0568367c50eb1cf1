<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Profile;
use Larder\Cli\Report\Check;
use Larder\Cli\Report\Difference;
use Larder\Cli\Report\Environment;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Timing\Interval;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** The options of `larder compare` that read existing results. Nothing is measured with them. */
final class ResultOptions
{
    /** Option for a page, which can also be written from an existing result. */
    private const PAGE = 'html';

    public static function add(Command $command): void
    {
        $command
            ->addArgument('after', InputArgument::OPTIONAL, 'The second result of --diff')
            ->addOption(
                'profile',
                null,
                InputOption::VALUE_REQUIRED,
                'Advise for the sizes, read share and machines in this file (docs/measure.md)',
            )
            ->addOption(
                'advise',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Measure nothing: advise from this result, or from several of one machine; '
                    . 'with --html, also make the page',
            )
            ->addOption(
                'check',
                null,
                InputOption::VALUE_REQUIRED,
                'Measure nothing: name what is wrong with this result, and exit with 1 if anything is',
            )
            ->addOption(
                'diff',
                null,
                InputOption::VALUE_REQUIRED,
                'Measure nothing: say what changed from this result to a second one',
            );
    }

    /**
     * @param array<string, string> $files what to write, by option
     * @return int|null the exit code; null if stores are to be measured
     */
    public static function run(InputInterface $input, OutputInterface $output, array $files = []): ?int
    {
        [$check, $diff, $advise, $after] = [
            $input->getOption('check'),
            $input->getOption('diff'),
            $input->getOption('advise'),
            $input->getArgument('after'),
        ];
        if (\is_string($after) !== \is_string($diff)) {
            throw new InvalidOptionException(
                '--diff needs two results: larder compare --diff before.jsonl after.jsonl',
            );
        }

        $isAdvice = \is_array($advise) && $advise !== [];
        foreach (array_keys($files) as $option) {
            if (\is_string($check) || \is_string($diff) || ($isAdvice && $option !== self::PAGE)) {
                throw new InvalidOptionException(\sprintf(
                    '--%s: nothing is measured with %s, so there is no new result to write.%s',
                    $option,
                    $isAdvice ? '--advise' : '--check or --diff',
                    $isAdvice ? ' Of a result that is there, only --html makes something new.' : '',
                ));
            }
        }

        return match (true) {
            \is_string($check) => self::check($check, $output),
            \is_string($diff) && \is_string($after)
                => self::diff(self::read($diff, $output), self::read($after, $output), $output),
            $isAdvice => self::adviseFrom(
                array_values(array_filter($advise, \is_string(...))),
                self::profile($input),
                $files[self::PAGE] ?? null,
                $output,
            ),
            default => null,
        };
    }

    /** @throws \RuntimeException which names the file and what is wrong with it */
    public static function profile(InputInterface $input): ?Profile
    {
        $file = $input->getOption('profile');

        return \is_string($file) ? Profile::read($file) : null;
    }

    /** @param list<string> $results */
    private static function adviseFrom(array $results, ?Profile $profile, ?string $page, OutputInterface $output): int
    {
        $report = self::together($results, $output);
        if ($page !== null) {
            Outputs::all($profile)[self::PAGE]['output']->write($report, $page);
        }

        if ($output->isVerbose()) {
            (new Terminal($output))->print($report, Environment::lines($report->environment), $profile);
        }
        (new Summary($output))->print($report, $profile);

        return Command::SUCCESS;
    }

    /**
     * @param list<string> $files
     * @return Report one report of all files, so that a study can add rows that a run of the stores lacks
     */
    private static function together(array $files, OutputInterface $output): Report
    {
        $environment = $rows = $notMeasured = $spoilers = [];
        $repeated = 0;
        foreach ($files as $file) {
            $report = self::read($file, $output);
            $environment = $environment === [] ? $report->environment : $environment;
            foreach (['processor', 'cores'] as $name) {
                if (($environment[$name] ?? null) !== ($report->environment[$name] ?? null)) {
                    throw new InvalidOptionException(\sprintf(
                        '--advise: %s is from another machine than %s: its %s differs.',
                        $file,
                        $files[0],
                        $name,
                    ));
                }
            }
            foreach ($report->rows as $row) {
                $key = $row->subject->key();
                $repeated += isset($rows[$key]) ? 1 : 0;
                $rows[$key] ??= $row;
            }
            array_push($notMeasured, ...$report->notMeasured);
            array_push($spoilers, ...$report->spoilers);
        }

        if ($repeated > 0) {
            $output->writeln(\sprintf('%d rows stand there more than once: the first of each counts.', $repeated));
        }

        return new Report($environment, array_values($rows), $notMeasured, array_values(array_unique($spoilers)));
    }

    /** Reads a result, and warns if --check would find a problem in it. */
    private static function read(string $file, OutputInterface $output): Report
    {
        $report = ResultFile::read($file);
        $problems = Check::of($report);
        if ($problems !== []) {
            $output->writeln(
                \sprintf(
                    'Careful with %s: --check fails, %s%s',
                    $file,
                    $problems[0],
                    \count($problems) > 1
                        ? \sprintf('; and %d more: larder compare --check %s', \count($problems) - 1, $file)
                        : '',
                ),
                OutputInterface::OUTPUT_RAW,
            );
        }

        return $report;
    }

    private static function check(string $file, OutputInterface $output): int
    {
        $problems = Check::problems($file);
        $output->writeln(
            $problems === [] ? [\sprintf('%s is a whole result, and nothing is wrong with it.', $file)] : $problems,
            OutputInterface::OUTPUT_RAW,
        );

        return $problems === [] ? Command::SUCCESS : Command::FAILURE;
    }

    private static function diff(Report $before, Report $after, OutputInterface $output): int
    {
        $difference = Difference::between($before, $after);
        $tooFew = \count(array_filter(
            $difference->noise,
            static fn(array $row): bool => $row['interval'] === null && $row['ratio'] !== null,
        ));
        $lines = [\sprintf(
            '%d rows changed, in %d the difference is noise.',
            \count($difference->changed),
            \count($difference->noise) - $tooFew,
        )];
        if ($tooFew > 0) {
            $lines[] = \sprintf(
                '%d with fewer than %d samples cannot show a change. Measure in more rounds.',
                $tooFew,
                Interval::FEWEST,
            );
        }
        foreach ($difference->changed as [
            'subject' => $subject, 'before' => $figure, 'after' => $then, 'ratio' => $ratio, 'interval' => $interval,
        ]) {
            $lines[] = \sprintf(
                '  %s: %s, then %s: %s%s',
                Difference::name($subject),
                Figure::of($subject->unit, $figure),
                Figure::of($subject->unit, $then),
                $ratio === null || $interval === null
                    ? ''
                    : \sprintf(
                        'x%s (%s to %s), ',
                        Figure::ratio($ratio),
                        Figure::ratio($interval->low),
                        Figure::ratio($interval->high),
                    ),
                ($then > $figure) === $subject->unit->higherIsBetter() ? 'better' : 'worse',
            );
        }
        foreach ([
            'Only in the first' => $difference->onlyBefore,
            'Only in the second' => $difference->onlyAfter,
            'Left out, as they stand more than once in a file' => $difference->repeated,
        ] as $title => $names) {
            array_push($lines, ...($names === [] ? [] : [
                "$title:",
                ...array_map(static fn(string $name): string => '  ' . $name, $names),
            ]));
        }
        if ($difference->environment !== []) {
            $lines[] = 'The environments differ:';
            foreach ($difference->environment as $name => [$was, $is]) {
                $lines[] = "  $name: $was, then $is";
            }
        }
        $output->writeln($lines, OutputInterface::OUTPUT_RAW);

        return Command::SUCCESS;
    }
}
