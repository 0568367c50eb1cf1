<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\Comparison;
use Larder\Cli\Compare\Environment;
use Larder\Cli\Compare\JsonReport;
use Larder\Cli\Compare\NotMeasured;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\Report;
use Larder\Cli\Compare\Result;
use Larder\Cli\Compare\SameRow;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\CpuAffinity;
use Larder\Cli\JsonLinesFile;
use Larder\Cli\ListOption;
use Larder\Cli\Machine;
use Larder\Cli\Number;
use Larder\Cli\Published;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Helper\ProgressBar;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder compare`: measures the stores of this machine. What is measured and how: docs/compare.md. */
#[AsCommand('compare', 'Measure every cache store on this machine')]
final class CompareCommand extends Command implements SignalableCommandInterface
{
    private const MILLISECOND = 1_000_000;
    private const ROUNDS = 7;
    private const QUICK_ROUNDS = 3;

    private ?StoreLocations $places = null;
    private ?Comparison $comparison = null;
    private bool $interrupted = false;

    protected function configure(): void
    {
        $this
            ->addOption('quick', null, InputOption::VALUE_NONE, 'Fewer and shorter rounds: less than a minute')
            ->addOption('stores', null, InputOption::VALUE_REQUIRED, 'Only these stores: ' . implode(', ', Catalog::names()))
            ->addOption('values', null, InputOption::VALUE_REQUIRED, 'Only these values: ' . implode(', ', self::valueNames()))
            ->addOption('operations', null, InputOption::VALUE_REQUIRED, 'Only these operations: ' . implode(', ', self::operationNames()))
            ->addOption('rounds', null, InputOption::VALUE_REQUIRED, \sprintf('Rounds per figure; %d, or %d with --quick', self::ROUNDS, self::QUICK_ROUNDS))
            ->addOption('json', null, InputOption::VALUE_REQUIRED, 'Also write the figures to this file, as JSON Lines; --json=- prints them instead of the tables')
            ->addOption('no-servers', null, InputOption::VALUE_NONE, 'Skip the stores that need a server')
            ->setHelp(<<<'TEXT'
                Measures get and set of each store in fresh PHP processes. Servers are started for the run and stopped
                after it; no server or file of the machine is touched.

                  <info>larder compare --quick</info>
                  <info>larder compare --stores larder,apcu,redis --values 1k,128k --operations get</info>
                  <info>larder compare --values "10b,50 x 50 array" --json figures.jsonl</info>
                TEXT);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;

        try {
            return $this->compare($input, $output, $errors);
        } catch (Interrupted $interrupted) {
            $this->close(); // again, if that was interrupted
            $errors->writeln(['', 'Interrupted. Everything that was started has been stopped.']);

            return 128 + $interrupted->signal;
        }
    }

    private function compare(InputInterface $input, OutputInterface $output, OutputInterface $errors): int
    {
        $obstacles = Machine::obstacles(get_loaded_extensions(), ini_get('zend.assertions'));
        if ($obstacles !== []) {
            $errors->writeln(['Nothing was measured, as the figures would be wrong:', ...$obstacles]);

            return Command::FAILURE;
        }
        $plan = self::plan($input);
        $stores = ListOption::of(Catalog::names(), self::text($input, 'stores'), 'stores');
        $json = JsonLinesFile::named($input->getOption('json'));
        $cores = max(1, \count(CpuAffinity::allowed()));
        $core = CpuAffinity::pin();
        $this->places = new StoreLocations();

        try {
            $result = $this->measure($plan, $stores, $input->getOption('no-servers') === true, $errors);
            $environment = Environment::of($result, $this->places->serverVersions(), $cores, $core);
        } finally {
            $this->close();
        }
        if ($json === null || !$json->isStandardOutput()) {
            (new Report($output, new SameRow(Published::load())))->print($plan, $result, $environment);
        }
        if ($json !== null) {
            JsonReport::write($json, $plan, $result, $environment);
        }

        return $result->isWhole() ? Command::SUCCESS : Command::FAILURE;
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return \defined('SIGINT') ? [\SIGINT, \SIGTERM, \SIGHUP] : [];
    }

    /**
     * Leaves what is under way, wherever that is; on the way out all is ended that was just being started, and only then
     * are the directories removed. Heard once: a second signal would interrupt that.
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
        $this->comparison?->stop();
        $this->places?->close();
    }

    /** @param non-empty-list<string> $stores */
    private function measure(Plan $plan, array $stores, bool $withoutServers, OutputInterface $errors): Result
    {
        $catalog = new Catalog($this->places ?? throw new \LogicException('no places'));
        $targets = $notMeasured = [];
        $errors->writeln('Starting servers and creating directories');
        foreach ($stores as $store) {
            if ($withoutServers && Catalog::needsServer($store)) {
                $notMeasured[] = new NotMeasured($store, null, 'left out by --no-servers');
                continue;
            }
            foreach ($catalog->subjects($store) as $target) {
                if ($target instanceof Target) {
                    $targets[] = $target;
                } else {
                    $notMeasured[] = $target;
                }
            }
        }
        if ($targets === []) {
            return new Result([], [], $notMeasured);
        }
        $this->comparison = new Comparison($plan, $targets);
        ProgressBar::setFormatDefinition('compare', ' %bar% %percent:3s%%  %remaining:6s% left  %message%');
        $progress = new ProgressBar($errors, $this->comparison->steps());
        $progress->setFormat('compare');
        $progress->setBarWidth(30);
        $progress->setMessage('');
        $progress->start();
        $result = $this->comparison->run(static function (int $done, string $store) use ($progress): void {
            $progress->setMessage($store);
            $progress->setProgress($done);
        });
        $progress->clear();

        return new Result($result->rows, $result->handshakes, [...$notMeasured, ...$result->notMeasured]);
    }

    private static function plan(InputInterface $input): Plan
    {
        $quick = $input->getOption('quick') === true;
        $all = Value::all();
        $values = array_map(static fn(string $name): Value => $all[$name], ListOption::of(self::valueNames(), self::text($input, 'values'), 'values'));
        $operations = array_map(Operation::from(...), ListOption::of(self::operationNames(), self::text($input, 'operations'), 'operations'));
        $rounds = Number::of($input->getOption('rounds'), $quick ? self::QUICK_ROUNDS : self::ROUNDS, 'rounds');

        return new Plan($values, $operations, $rounds, $quick
            ? new TimeBudget(200_000, 4 * self::MILLISECOND)
            : new TimeBudget(500_000, 20 * self::MILLISECOND));
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
