<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\CandidateStore;
use Larder\Cli\Doctor\Engine;
use Larder\Cli\Doctor\Finding;
use Larder\Cli\Doctor\Stores;
use Larder\Cli\Inspect\Health;
use Larder\Cli\System\Machine;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Driver\Engine\EngineDriver;
use Psr\Log\NullLogger;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder doctor`: reports which stores work on this machine, what the others lack, and which store auto: takes. Exits
 * with 0 if auto: finds a store that processes share, and the engine is well; with 1 (a warning) otherwise; with 2 if
 * there is none; with 3 for an invalid DSN. docs/operate.md.
 */
#[AsCommand('doctor', 'Check which stores work here, and say how to enable the others')]
final class DoctorCommand extends Command
{
    /** Exit codes as Nagios and other monitoring programs read them. */
    private const WARNING = 1;
    private const CRITICAL = 2;
    private const UNKNOWN = 3;

    protected function configure(): void
    {
        $this->addArgument('dsn', InputArgument::IS_ARRAY, 'DSNs of further stores to check, such as redis://10.0.0.5');
        InspectCommand::addUserAndSegment($this);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $health = Engine::health();
        $output->writeln([
            \sprintf('PHP %s (%s), %s', \PHP_VERSION, \PHP_SAPI, Machine::system()),
            \sprintf(
                '%s. The web server may use other settings.',
                php_ini_loaded_file() === false ? 'No php.ini' : php_ini_loaded_file(),
            ),
            '',
            'Engine',
            ...array_map(static fn(string $line): string => '  ' . $line, Engine::lines($health)),
            '',
            'Stores',
        ], OutputInterface::OUTPUT_RAW);
        foreach (Stores::all() as $finding) {
            $this->write($finding, $output);
        }
        /** @var list<string> $dsns */
        $dsns = $input->getArgument('dsn');
        foreach ($dsns as $dsn) {
            try {
                $this->write(Stores::at($dsn), $output);
            } catch (InvalidDsn $mistake) {
                $output->writeln($mistake->getMessage(), OutputInterface::OUTPUT_RAW);

                return self::UNKNOWN;
            }
        }
        $output->writeln(['', 'auto:']);

        return $this->auto($output, $health);
    }

    private function auto(OutputInterface $output, ?Health $health): int
    {
        try {
            $candidates = Cache::open('auto:', new NullLogger())->explain(); // messages for its log are printed instead
        } catch (StoreUnavailable $nothing) {
            $output->writeln(
                ['  takes nothing: no store that it looks for works here', '  ' . $nothing->how],
                OutputInterface::OUTPUT_RAW,
            );

            return self::CRITICAL;
        }
        $output->writeln(
            array_map(static fn(CandidateStore $candidate): string => '  ' . $candidate, $candidates),
            OutputInterface::OUTPUT_RAW,
        );
        foreach ($candidates as $candidate) {
            if ($candidate->isChosen) {
                $driver = Drivers::get($candidate->scheme);
                $keeps = !$driver instanceof Diagnoses || $driver->problem() === '';
                $isShared = $keeps && ($driver->variants()[0] ?? null)?->scope->isShared() === true;
                $output->writeln(
                    $isShared
                        ? '  Processes share it.'
                        : '  Processes do not share it'
                            . ($keeps ? ': on the command line each has a memory of its own.' : '.'),
                );

                $isEngine = $keeps && $driver instanceof EngineDriver;
                if ($isEngine && Engine::losesMost()) {
                    $output->writeln('  It evicts or refuses most of what is stored: see Engine.');

                    return self::WARNING;
                }
                $isIll = $isEngine && $health?->isIll === true;

                return $isShared && !$isIll ? self::SUCCESS : self::WARNING;
            }
        }

        return self::CRITICAL;
    }

    private function write(Finding $finding, OutputInterface $output): void
    {
        $isUsable = match ($finding->isUsable) {
            true => 'yes',
            false => 'no',
            null => '?',
        };
        $output->writeln(
            \sprintf('  %-10s %-4s %s', $finding->store, $isUsable, $finding->what),
            OutputInterface::OUTPUT_RAW,
        );
        $lines = $finding->how === '' ? [] : [$finding->how];
        foreach ($finding->remarks as $remark) {
            $lines = [...$lines, $remark->what, ...($remark->how === '' ? [] : ['  ' . $remark->how])];
        }
        $output->writeln(
            array_map(static fn(string $line): string => \sprintf('%18s%s', '', $line), $lines),
            OutputInterface::OUTPUT_RAW,
        );
    }
}
