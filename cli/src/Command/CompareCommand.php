<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Composer\InstalledVersions;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Advice\Text;
use Larder\Cli\Compare\Apcu;
use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\CompareSuite;
use Larder\Cli\Compare\Environment;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Inspect\Errors;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Journal;
use Larder\Cli\Measure\Preflight;
use Larder\Cli\Measure\Runner;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\Html\HtmlFile;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Rows;
use Larder\Cli\Report\TextFile;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\Machine;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder compare`: measures the stores of this machine. What is measured and how: docs/measure.md. */
#[AsCommand('compare', 'Measure every cache store on this machine')]
final class CompareCommand extends Command implements SignalableCommandInterface
{
    private const MILLISECOND = 1_000_000;
    private const ROUNDS = 10;
    private const QUICK_ROUNDS = 3;

    /** Options that say what is measured: a run that continues another must have the same. */
    private const SETTINGS = ['quick', 'stores', 'values', 'operations', 'rounds', 'no-servers', 'apcu'];

    private ?StoreLocations $locations = null;
    private ?Runner $runner = null;
    private ?Journal $journal = null;
    private bool $interrupted = false;

    protected function configure(): void
    {
        $this
            ->addOption('quick', null, InputOption::VALUE_NONE, 'A quick look: three short rounds, no intervals')
            ->addOption(
                'stores',
                null,
                InputOption::VALUE_REQUIRED,
                'Only these stores: ' . implode(', ', Catalog::names()),
            )
            ->addOption(
                'values',
                null,
                InputOption::VALUE_REQUIRED,
                'Only these values: ' . implode(', ', self::valueNames()),
            )
            ->addOption(
                'operations',
                null,
                InputOption::VALUE_REQUIRED,
                'Only these operations: ' . implode(', ', self::operationNames()),
            )
            ->addOption('no-servers', null, InputOption::VALUE_NONE, 'Skip the stores that need a server')
            ->addOption(
                'rounds',
                null,
                InputOption::VALUE_REQUIRED,
                \sprintf('Rounds per figure; %d, or %d with --quick', self::ROUNDS, self::QUICK_ROUNDS),
            )
            ->addOption(
                'apcu',
                null,
                InputOption::VALUE_REQUIRED,
                'Measure this apcu.so in place of the installed APCu',
            )
            ->addOption(
                'resume',
                null,
                InputOption::VALUE_NONE,
                'Continue the interrupted run that had the same options',
            )
            ->addOption('journal', null, InputOption::VALUE_REQUIRED, 'Keep what --resume needs in this file');
        foreach (Suites::kinds() as $kind) {
            $this->addOption(
                $kind,
                null,
                InputOption::VALUE_REQUIRED,
                \sprintf('Measure instead: %s', implode(', ', [...Suites::names($kind), Suites::ALL])),
            );
        }
        foreach (Outputs::all() as $option => ['help' => $help]) {
            $this->addOption($option, null, InputOption::VALUE_REQUIRED, $help);
        }
        ResultOptions::add($this);
        $this->setHelp(<<<'TEXT'
            Measures get and set of each store in fresh PHP processes. Servers are started for the run and stopped
            after it; no server or file of the machine is touched.

              <info>larder compare --quick</info>
              <info>larder compare --stores larder,apcu,redis --values 1k,128k --operations get</info>
              <info>larder compare --values "10b,50 x 50 array" --json figures.jsonl</info>
            TEXT);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = Errors::of($output);

        try {
            $files = self::files($input);

            return ResultOptions::run($input, $output, $files) ?? $this->compare($input, $files, $output, $errors);
        } catch (Interrupted $interrupted) {
            $this->close(); // again, if that was interrupted
            $errors->writeln(['', 'Interrupted. Everything that was started has been stopped.']);
            if ($this->journal !== null) {
                $errors->writeln('To continue: the same command with --resume.');
            }

            return 128 + $interrupted->signal;
        }
    }

    /** @param array<string, string> $files what to write, by option */
    private function compare(InputInterface $input, array $files, OutputInterface $output, OutputInterface $errors): int
    {
        $obstacles = Machine::obstacles(get_loaded_extensions(), ini_get('zend.assertions'));
        if ($obstacles !== []) {
            $errors->writeln(['Nothing was measured, as the figures would be wrong:', ...$obstacles]);

            return Command::FAILURE;
        }
        $isQuick = $input->getOption('quick') === true;
        $rounds = Number::of($input->getOption('rounds'), $isQuick ? self::QUICK_ROUNDS : self::ROUNDS, 'rounds');
        $apcu = Apcu::choose(self::text($input, 'apcu'));
        $profile = ResultOptions::profile($input);
        $start = microtime(true);
        $this->locations = new StoreLocations();
        $cores = max(1, \count(CpuAffinity::allowed()));
        $preflight = new Preflight($cores);
        [$suites, $only] = $this->suites($input, $this->locations);
        $settings = self::settings($input);
        $this->journal = self::journal($input, $settings, $errors);

        try {
            $core = self::isNamed($input) ? null : CpuAffinity::pin();
            [$rows, $notMeasured] = $this->measure($suites, $only, $rounds, $apcu, $errors);
            $environment = Environment::of($this->locations->serverVersions(), $cores, $core);
        } finally {
            $this->close();
        }
        $report = new Report(
            [...$environment->toArray(), 'rounds' => $rounds, 'options' => (object) $settings],
            $rows,
            $notMeasured,
            $preflight->spoilers(
                $environment->loaded,
                $environment->opcache,
                array_filter($rows, static fn(Row $row): bool => str_starts_with($row->subject->table, 'pressure'))
                    !== [],
            ),
        );
        $kept = self::keep($report, $environment->lines(), $profile);
        if (!\in_array('php://stdout', $files, true)) {
            if ($output->isVerbose() || !self::isComparison($report->rows)) {
                (new Terminal($output))->print($report, $environment->lines(), $profile);
                $output->writeln('');
            }
            (new Summary($output))->print($report, $profile, $kept, microtime(true) - $start);
        }
        $failures = [];
        foreach ($files as $option => $file) {
            try {
                Outputs::all($profile)[$option]['output']->write($report, $file);
            } catch (\RuntimeException $failed) { // the other outputs may work
                $failures[] = \sprintf('--%s: %s', $option, $failed->getMessage());
            }
        }
        if ($failures !== []) {
            $again = $this->journal === null
                ? ''
                : "\nWhat was measured is kept: the same command with --resume writes it again.";

            throw new \RuntimeException(implode("\n", $failures) . $again);
        }
        $this->journal?->remove();

        return self::isWhole($rows) ? Command::SUCCESS : Command::FAILURE;
    }

    /**
     * Keeps the last result for later commands: in a clone's var/, or else next to the journal.
     *
     * @param list<string> $environment lines
     * @return list<string> lines that name the files
     */
    private static function keep(Report $report, array $environment, ?Profile $profile): array
    {
        $isClone = !InstalledVersions::isInstalled('larder/cli');
        $command = $isClone ? './larder' : 'larder';

        try {
            $folder = $isClone ? \dirname(__DIR__, 3) . '/var/compare' : \dirname(Journal::place());
            if (!is_dir($folder) && !@mkdir($folder, 0o777, true)) {
                throw new \RuntimeException("$folder cannot be made");
            }
            $text = new BufferedOutput();
            (new Terminal($text))->print($report, $environment, $profile);
            TextFile::write("$folder/table.txt", $text->fetch());
            (new ResultFile())->write($report, "$folder/result.jsonl");
            (new HtmlFile($profile))->write($report, "$folder/report.html");
        } catch (\RuntimeException) {
            return ["More     $command compare --verbose"];
        }
        $folder = str_starts_with($folder, getcwd() . '/') ? substr($folder, \strlen(getcwd() . '/')) : $folder;

        return [
            ...(\strlen($folder) > 20 ? ["Page     $folder/report.html", "Table    $folder/table.txt"] : [
                "Page     $folder/report.html       Table  $folder/table.txt",
            ]),
            "Traffic  $command compare --advise $folder/result.jsonl --profile FILE",
        ];
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return \defined('SIGINT') ? [\SIGINT, \SIGTERM, \SIGHUP] : [];
    }

    /**
     * Interrupts the run at any point. While the exception passes, everything that was being started is ended, and
     * directories are removed after that. Only the first signal counts: a second one would interrupt this clean-up.
     *
     * @throws Interrupted
     */
    public function handleSignal(int $signal, int|false $previousExitCode = 0): false
    {
        if (!$this->interrupted) {
            $this->interrupted = true;

            throw new Interrupted($signal);
        }

        return false;
    }

    private function close(): void
    {
        $this->runner?->stop();
        $this->locations?->close();
    }

    /** True if a study or a workload was asked for. */
    private static function isNamed(InputInterface $input): bool
    {
        return array_filter(Suites::kinds(), static fn(string $kind): bool => $input->getOption($kind) !== null) !== [];
    }

    /** @return array{list<Suite>, StoreFilter} what is measured, and the stores left out of it */
    private function suites(InputInterface $input, StoreLocations $locations): array
    {
        $suites = [];
        $stores = ListOption::of(Catalog::names(), self::text($input, 'stores'), 'stores');
        $only = new StoreFilter($input->getOption('stores') === null ? null : $stores);
        foreach (Suites::kinds() as $kind) {
            $name = self::text($input, $kind);
            if ($name !== null) {
                array_push($suites, ...Suites::named($kind, $name, $locations, $only));
            }
        }
        if (!self::isNamed($input)) {
            return [
                [new CompareSuite($locations, $stores, self::plan($input), $input->getOption('no-servers') !== true)],
                $only,
            ];
        }
        foreach (['values', 'operations', 'no-servers'] as $option) {
            if (!\in_array($input->getOption($option), [null, false], true)) {
                throw new InvalidOptionException(\sprintf(
                    '--%s cannot be combined with --study or --workload: these measure their own values. '
                        . 'Leave out one of the two options.',
                    $option,
                ));
            }
        }

        return [$suites, $only];
    }

    /** @return array<string, string> what figures depend on */
    private static function settings(InputInterface $input): array
    {
        $settings = ['php' => \PHP_VERSION];
        foreach ([...self::SETTINGS, ...Suites::kinds()] as $option) {
            $value = $input->getOption($option);
            if ($value !== null && $value !== false) {
                $settings[$option] = \is_string($value) ? $value : 'yes';
            }
        }

        return $settings;
    }

    /** @param array<string, string> $settings */
    private static function journal(InputInterface $input, array $settings, OutputInterface $errors): ?Journal
    {
        $named = self::text($input, 'journal');
        $settings += Machine::identity();
        if ($input->getOption('resume') === true) {
            return Journal::continue($named ?? Journal::place(), $settings);
        }

        try {
            return Journal::start($named ?? Journal::place(), $settings);
        } catch (\RuntimeException $failed) {
            if ($named !== null) {
                throw $failed;
            }
            $errors->writeln('This run goes on, but cannot be resumed. ' . $failed->getMessage());

            return null;
        }
    }

    /** @return array<string, string> what to write, by option */
    private static function files(InputInterface $input): array
    {
        $files = [];
        foreach (array_keys(Outputs::all()) as $option) {
            $file = self::text($input, $option);
            if ($file !== null) {
                $files[$option] = Outputs::checked($option, $file);
            }
        }

        return $files;
    }

    /**
     * @param list<Suite> $suites
     * @param positive-int $rounds
     * @return array{list<Row>, list<array{subject: Subject, reason: string}>}
     */
    private function measure(array $suites, StoreFilter $only, int $rounds, Apcu $apcu, OutputInterface $errors): array
    {
        $notMeasured = $blocks = [];
        $steps = new Steps($errors);
        $steps->begin('servers');
        foreach ($suites as $suite) {
            array_push(
                $blocks,
                ...$suite->blocks(static function (Subject $subject, string $reason) use (&$notMeasured): void {
                    $notMeasured[] = ['subject' => $subject, 'reason' => $reason];
                }),
            );
        }
        if ($only->leftOut() !== []) {
            $steps->clear();
            $errors->writeln('Left out by --stores: ' . implode(', ', $only->leftOut()));
        }
        if ($blocks === [] && $notMeasured === []) {
            throw new InvalidOptionException(
                '--stores: none of these is part of what was asked for. Name others, or leave it out.',
            );
        }
        $steps->end((string) $this->locations?->servers());
        $rows = new Rows(array_merge(...array_map(static fn(Block $block): array => $block->subjects(), $blocks)));
        $this->runner = new Runner($blocks, $rounds, $this->journal);
        $steps->begin('measuring');
        $all = $this->runner->steps();
        $this->runner->run(
            $rows->add(...),
            static function (Block $block, string $reason) use (&$notMeasured): void {
                foreach ($block->subjects() as $subject) {
                    $notMeasured[] = ['subject' => $subject, 'reason' => $reason];
                }
            },
            static fn(int $done, string $block, ?float $left) => $steps->progress($done, $all, $left, $block),
        );
        $steps->end(Text::counted(\count($blocks), 'setup') . ', ' . Text::counted($rounds, 'round'));

        return [$rows->all([
            ...array_values(array_filter($suites, static fn(Suite $suite): bool => $suite instanceof Annotator)),
            $apcu,
        ]), $notMeasured];
    }

    /**
     * True if nothing that was measured failed. A store that is not installed did not fail.
     *
     * @param list<Row> $rows
     */
    private static function isWhole(array $rows): bool
    {
        return $rows !== [] && array_filter($rows, static fn(Row $row): bool => $row->failures > 0) === [];
    }

    /**
     * True if the one-screen answer fits what was measured. Studies and workloads are read in their tables.
     *
     * @param list<Row> $rows
     */
    private static function isComparison(array $rows): bool
    {
        return array_filter($rows, static fn(Row $row): bool => $row->subject->table !== 'compare') === [];
    }

    private static function plan(InputInterface $input): Plan
    {
        $all = Value::all();
        $values = array_map(
            static fn(string $name): Value => $all[$name],
            ListOption::of(self::valueNames(), self::text($input, 'values'), 'values'),
        );
        $operations = array_map(
            Operation::from(...),
            ListOption::of(self::operationNames(), self::text($input, 'operations'), 'operations'),
        );

        return new Plan($values, $operations, $input->getOption('quick') === true
            ? new TimeBudget(200_000, 4 * self::MILLISECOND)
            : new TimeBudget(400_000, 8 * self::MILLISECOND));
    }

    private static function text(InputInterface $input, string $option): ?string
    {
        $text = $input->getOption($option);

        return \is_string($text) ? $text : null;
    }

    /** @return non-empty-list<string> */
    private static function valueNames(): array
    {
        return array_map(strval(...), array_keys(Value::all()));
    }

    /** @return non-empty-list<string> */
    private static function operationNames(): array
    {
        return array_map(static fn(Operation $operation): string => $operation->value, Operation::cases());
    }
}
