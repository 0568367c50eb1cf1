<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\CandidateStore;
use Larder\Cli\Doctor\Engine;
use Larder\Cli\Doctor\Finding;
use Larder\Cli\Doctor\Stores;
use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\Text;
use Larder\Cli\System\Machine;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Driver\Engine\EngineDriver;
use Larder\Internal\Driver\Remark;
use Psr\Log\NullLogger;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder doctor`: reports which stores work on this machine, what the others lack, and which store auto: takes. Exits
 * with 0 if auto: finds a store that processes share, and the engine is well; with 1 (a warning) otherwise; with 2 if
 * there is none; with 3 for a mistake in the command line. docs/operate.md.
 */
#[AsCommand('doctor', 'Check which stores work here, and say how to enable the others')]
final class DoctorCommand extends Command
{
    /** Exit codes as Nagios and other monitoring programs read them. */
    private const WARNING = 1;
    private const CRITICAL = 2;

    protected function configure(): void
    {
        $this->addArgument('dsn', InputArgument::IS_ARRAY, 'DSNs of further stores to check, such as redis://10.0.0.5');
        InspectCommand::addCommon($this, 'The same as an argument');
        $this->setHelp(<<<'HELP'
            Exits with 0 if auto: finds a store that processes share, and the engine is well; with 1 otherwise; with 2 if there
            is none; with 3 for a mistake in the command line.

            With --json: "code" (the exit code), "php" ("version", "sapi", "ini", "system"), "engine" ("verdict", which is null
            or has "word", "sentence" and "ill"; "lines"), "stores" (each with "store", "usable": null if a login is needed,
            "what", "how", "remarks" with "what" and "how"), "auto" ("candidates" with "scheme", "chosen", "why", "how" and
            "whose"; "lines").
            HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $isJson = $input->getOption('json') === true;
        $health = Engine::health();
        $lines = Engine::lines($health);
        $ini = php_ini_loaded_file();
        $this->say($isJson, $output, [
            \sprintf('PHP %s (%s), %s', \PHP_VERSION, \PHP_SAPI, Machine::system()),
            \sprintf('%s. The web server may use other settings.', $ini === false ? 'No php.ini' : $ini),
            '',
            'Engine',
            ...array_map(static fn(string $line): string => '  ' . $line, $lines),
            '',
            'Stores',
        ]);
        $findings = [];
        foreach (Stores::all() as $finding) {
            $findings[] = $finding;
            $this->say($isJson, $output, self::lines($finding));
        }
        /** @var list<string> $dsns */
        $dsns = $input->getArgument('dsn');
        $given = $input->getOption('dsn');
        foreach ([...$dsns, ...(\is_string($given) ? [$given] : [])] as $dsn) {
            try {
                $finding = Stores::at($dsn);
            } catch (InvalidDsn $mistake) {
                return Errors::tell($input, $output, $mistake->getMessage());
            }
            $findings[] = $finding;
            $this->say($isJson, $output, self::lines($finding));
        }
        [$code, $candidates, $said] = self::auto($health);
        $this->say($isJson, $output, ['', 'auto:', ...array_map(static fn(string $line): string => '  ' . $line, [
            ...array_values(array_map(strval(...), $candidates)),
            ...$said,
        ])]);
        if ($isJson) {
            $output->writeln(Text::json(Text::data([
                'code' => $code,
                'php' => [
                    'version' => \PHP_VERSION,
                    'sapi' => \PHP_SAPI,
                    'ini' => $ini === false ? null : $ini,
                    'system' => Machine::system(),
                ],
                'engine' => [
                    'verdict' => $health === null ? null : [
                        'word' => $health->word,
                        'sentence' => $health->sentence,
                        'ill' => $health->isIll,
                    ],
                    'lines' => $lines,
                ],
                'stores' => array_map(static fn(Finding $finding): array => [
                    'store' => $finding->store,
                    'usable' => $finding->isUsable,
                    'what' => $finding->what,
                    'how' => $finding->how,
                    'remarks' => array_map(
                        static fn(Remark $remark): array => ['what' => $remark->what, 'how' => $remark->how],
                        $finding->remarks,
                    ),
                ], $findings),
                'auto' => ['candidates' => array_map(static fn(CandidateStore $candidate): array => [
                    'scheme' => $candidate->scheme,
                    'chosen' => $candidate->isChosen,
                    'why' => $candidate->why,
                    'how' => $candidate->how,
                    'whose' => $candidate->whose,
                ], $candidates), 'lines' => $said],
            ])), OutputInterface::OUTPUT_RAW);
        }

        return $code;
    }

    /** @return array{int, array<CandidateStore>, list<string>} the exit code, what auto: looked for, what to say of it */
    private static function auto(?Health $health): array
    {
        try {
            $candidates = Cache::open('auto:', new NullLogger())->explain(); // messages for its log are printed instead
        } catch (StoreUnavailable $nothing) {
            return [self::CRITICAL, [], ['takes nothing: no store that it looks for works here', $nothing->how]];
        }
        foreach ($candidates as $candidate) {
            if ($candidate->isChosen) {
                $driver = Drivers::get($candidate->scheme);
                $keeps = !$driver instanceof Diagnoses || $driver->problem() === '';
                $isShared = $keeps && ($driver->variants()[0] ?? null)?->scope->isShared() === true;
                $said = [match (true) {
                    $isShared => 'Processes share it.',
                    $keeps => 'Processes do not share it: on the command line each has a memory of its own.',
                    default => 'Processes do not share it.',
                }];
                $isEngine = $keeps && $driver instanceof EngineDriver;
                $isIll = $isEngine && $health?->isIll === true;

                return [$isShared && !$isIll ? self::SUCCESS : self::WARNING, $candidates, $said];
            }
        }

        return [self::CRITICAL, $candidates, []];
    }

    /** @param list<string> $lines */
    private function say(bool $isJson, OutputInterface $output, array $lines): void
    {
        if ($isJson) {
            return;
        }
        $columns = Screen::columns($output);
        if ($columns !== null) {
            $lines = array_map(static fn(string $line): string => self::folded($line, $columns), $lines);
        }
        $output->writeln($lines, OutputInterface::OUTPUT_RAW);
    }

    /** Continues a long line below its text, which in the table of stores is the third column. */
    private static function folded(string $line, int $width): string
    {
        $column = preg_match('/^  \S+ +(?:yes|no|\?) +|^ */', $line, $begin) === 1 ? \strlen($begin[0]) : 0;
        $break = "\n" . str_repeat(' ', $column);

        return substr($line, 0, $column) . wordwrap(substr($line, $column), max(20, $width - $column), $break);
    }

    /** @return list<string> */
    private static function lines(Finding $finding): array
    {
        $isUsable = match ($finding->isUsable) {
            true => 'yes',
            false => 'no',
            null => '?',
        };
        $lines = $finding->how === '' ? [] : [$finding->how];
        foreach ($finding->remarks as $remark) {
            $lines = [...$lines, $remark->what, ...($remark->how === '' ? [] : ['  ' . $remark->how])];
        }

        return [
            \sprintf('  %-10s %-4s %s', $finding->store, $isUsable, $finding->what),
            ...array_map(static fn(string $line): string => \sprintf('%18s%s', '', $line), $lines),
        ];
    }
}
