<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Stampede\End;
use Larder\Cli\Stampede\Row;
use Larder\Cli\System\Machine;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** `larder stampede`: measures remember() when many processes need the same missing value at once. docs/remember.md. */
#[AsCommand('stampede', 'Measure remember() when many processes miss one value at once')]
final class StampedeCommand extends Command
{
    /** Seconds that one store may take, in addition to the time of its computations. */
    private const SECONDS = 300.0;

    protected function configure(): void
    {
        $this
            ->addArgument(
                'dsn',
                InputArgument::IS_ARRAY | InputArgument::OPTIONAL,
                'DSNs of stores such as redis://127.0.0.1:6379; default: every store, on servers started for the run',
            )
            ->addOption('processes', null, InputOption::VALUE_REQUIRED, 'Processes that ask at once', '100')
            ->addOption('compute', null, InputOption::VALUE_REQUIRED, 'Milliseconds of one computation', '50')
            ->addOption(
                'lease',
                null,
                InputOption::VALUE_REQUIRED,
                'Seconds until a lease expires in a store that cannot tell that its holder died',
                '1',
            )
            ->setHelp(<<<'TEXT'
                  <info>larder stampede</info>
                  <info>larder stampede --processes 500 redis://127.0.0.1:6379</info>

                Uses a namespace of its own in the stores given, and removes it at the end. Existing entries are not touched.

                Exits with 0 if every store given was measured; without an argument, stores that are not installed are skipped.
                TEXT);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!\function_exists('pcntl_fork')) {
            $output->writeln('This needs the extension pcntl, which is not loaded. Debian has it in php-cli.');

            return Command::FAILURE;
        }
        [$processes, $milliseconds, $lease] = array_map(
            static fn(string $option): float => self::number($input, $option),
            ['processes', 'compute', 'lease'],
        );
        /** @var list<string> $given */
        $given = $input->getArgument('dsn');
        try {
            array_map(Drivers::parse(...), $given);
        } catch (InvalidDsn $mistake) {
            $output->writeln($mistake->getMessage(), OutputInterface::OUTPUT_RAW);

            return Command::INVALID;
        }
        $locations = new StoreLocations();
        $dsns = $given === []
            ? self::all($locations)
            : array_combine(
                array_map(self::shown(...), $given),
                array_map(static fn(string $dsn): \Closure => static fn(): string => $dsn, $given),
            );
        $output->writeln([
            \sprintf('PHP %s, %s, %s', \PHP_VERSION, Machine::processor(), Machine::system()),
            \sprintf(
                '%d processes miss the same value at once; its computation takes %d ms. '
                    . 'Then again, and the computing process is killed.',
                $processes,
                $milliseconds,
            ),
            '',
            \sprintf('%-26s %12s %14s %12s %20s', '', 'cold', '', 'after kill', ''),
            \sprintf(
                '%-26s %12s %14s %12s %20s',
                'store',
                'computations',
                'last answer',
                'computations',
                'recovery time',
            ),
        ]);
        $measured = 0;
        $isWhole = true;
        foreach ($dsns as $name => $dsn) {
            $row = self::measure($locations, $dsn, (int) $processes, $milliseconds / 1000, $lease);
            $measured += (int) ($row->end === End::Measured);
            $isWhole = $isWhole && ($row->end === End::Measured || $row->end === End::Missing && $given === []);
            $output->writeln(\sprintf('%-26s ', $name) . $row->text, OutputInterface::OUTPUT_RAW);
        }
        $locations->close();

        return $isWhole && $measured > 0 ? Command::SUCCESS : Command::FAILURE;
    }

    /**
     * @return array<string, \Closure(): string> DSNs by names of stores; a closure starts its server when it is called
     */
    private static function all(StoreLocations $locations): array
    {
        $catalog = new Catalog($locations);
        $dsns = [];
        foreach (Drivers::variants() as $name => $variant) {
            if ($variant->scope !== Scope::Process) {
                $dsns[$name] = static fn(): string => $catalog->dsn($name);
            }
        }

        return $dsns;
    }

    /** @param \Closure(): string $dsn */
    private static function measure(
        StoreLocations $locations,
        \Closure $dsn,
        int $processes,
        float $seconds,
        float $lease,
    ): Row {
        try {
            $job = [
                'dsn' => $dsn(),
                'directory' => $locations->disk('stampede'),
                'processes' => $processes,
                'seconds' => $seconds,
                'lease' => $lease,
            ];
        } catch (ServerFailed $failed) {
            return Row::missing($failed->getMessage());
        }
        $variants = Drivers::variants();
        $php = new Php(
            array_merge(...array_values(array_map(self::ini(...), $variants))),
            array_values(array_filter(array_map(self::unpacked(...), $variants), \is_string(...))),
        );
        $limit = self::SECONDS + 2 * $processes * $seconds;
        $process = new Process(
            $php->command([\dirname(__DIR__, 2) . '/bin/stampede.php']),
            input: json_encode($job, \JSON_THROW_ON_ERROR),
            timeout: $limit,
        );
        try {
            $process->run();
        } catch (ProcessTimedOutException) {
            return Row::failed(\sprintf('no result within %d s', $limit));
        }

        return Row::of($process->getOutput(), $process->getErrorOutput(), $process->isSuccessful());
    }

    /** The DSN for display, without what may be a password. */
    private static function shown(#[\SensitiveParameter] string $dsn): string
    {
        return (string) preg_replace('~//.*@~', '//…@', $dsn);
    }

    /**
     * @return array<string, string> settings that the store needs on the command line, except those with a folder of
     *         the run
     */
    private static function ini(Variant $variant): array
    {
        return array_diff($variant->ini, [Variant::FOLDER, Variant::ROOM]);
    }

    /** The store's extension, if a clone has it only unpacked; null if it is loaded. */
    private static function unpacked(Variant $variant): ?string
    {
        return $variant->excludes === '' || \extension_loaded($variant->extension)
            ? null
            : Php::unpacked($variant->extension);
    }

    private static function number(InputInterface $input, string $option): float
    {
        $value = $input->getOption($option);
        if (!\is_numeric($value) || (float) $value <= 0.0) {
            throw new InvalidArgumentException(\sprintf('--%s: a number greater than 0 is expected.', $option));
        }

        return (float) $value;
    }
}
