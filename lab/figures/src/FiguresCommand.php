<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Command\ListOption;
use Larder\Cli\Command\Number;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\JsonLinesFile;
use Larder\Cli\System\Machine;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Exception\RuntimeException as ProcessFailure;
use Symfony\Component\Process\Process;

/**
 * Compares the engine with APCu, the library with the engine and bare clients, or one request with symfony/cache. Each
 * row is a ratio, measured in a fresh process. The command measures the project's promises, so it is not part of the
 * package. See docs/figures.md.
 */
#[AsCommand('figures', 'Measures what the engine and the library promise, compared with APCu, symfony/cache and bare clients')]
final class FiguresCommand extends Command
{
    private const ROUNDS = 60;
    private const SECONDS = 600.0;

    protected function configure(): void
    {
        $this
            ->addArgument('subject', InputArgument::OPTIONAL, implode(', ', Rows::SUBJECTS), Rows::SUBJECTS[0], Rows::SUBJECTS)
            ->addOption('rows', null, InputOption::VALUE_REQUIRED, 'Only these: ' . implode(', ', array_keys(Rows::all())))
            ->addOption('rounds', null, InputOption::VALUE_REQUIRED, \sprintf('How often each pair is measured; %d', self::ROUNDS))
            ->addOption('processes', null, InputOption::VALUE_REQUIRED, 'In how many fresh processes, which share the rounds: where in memory one lies changes its figures by some percent; 1')
            ->addOption('json', null, InputOption::VALUE_REQUIRED, 'Also write the figures to this file, as JSON Lines');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $obstacles = [
            ...Machine::obstacles(get_loaded_extensions(), ini_get('zend.assertions')),
            ...array_map(
                static fn(string $extension): string => \sprintf('The extension %s is not loaded; make figures installs and builds what is missing.', $extension),
                array_values(array_filter(['larder', 'apcu'], static fn(string $extension): bool => !\extension_loaded($extension))),
            ),
        ];
        if ($obstacles !== []) {
            $output->writeln($obstacles);

            return Command::FAILURE;
        }
        $subject = $input->getArgument('subject');
        if (!\in_array($subject, Rows::SUBJECTS, true)) {
            throw new InvalidArgumentException(\sprintf('There are no figures of "%s". Known: %s', \is_string($subject) ? $subject : '', implode(', ', Rows::SUBJECTS)));
        }
        $rows = Rows::of($subject);
        $names = ListOption::of(array_keys($rows), self::text($input, 'rows'), 'rows');
        $rounds = Number::of($input->getOption('rounds'), self::ROUNDS, 'rounds');
        $processes = min($rounds, Number::of($input->getOption('processes'), 1, 'processes'));
        $json = JsonLinesFile::named($input->getOption('json'));
        $output->writeln([\sprintf('PHP %s, %s, %s', \PHP_VERSION, Machine::processor(), Machine::system()), '', \sprintf('%-44s %10s %10s %8s %8s', 'figure; peer', 'larder', 'peer', 'ratio', 'bound')]);
        $figures = [];
        foreach ($names as $name) {
            $figures[$name] = $this->measure($rows[$name], $rounds, $processes, $output);
        }
        $json?->write(['measured_on' => self::environment()], array_map(static fn(string $name): array => ['name' => $name, ...$figures[$name]], $names));

        return array_filter($figures, static fn(array $figure): bool => isset($figure['failure'])) === [] ? Command::SUCCESS : Command::FAILURE;
    }

    /** @return array{work: string, peer: string, ours: float, theirs: float, ratio: float, low: ?float, high: ?float, bound: ?float, more: float, more_bound: ?float, rounds: int, processes: int, files?: array{int, int}}|array{failure: string} */
    private function measure(Row $row, int $rounds, int $processes, OutputInterface $output): array
    {
        // The first processes take the remainder.
        $shares = array_map(static fn(int $process): int => intdiv($rounds + $process, $processes), range($processes - 1, 0));
        try {
            $pairs = array_merge(...array_map(static fn(int $share): array => self::measureOnce($row, $share), $shares));
        } catch (\RuntimeException $failure) {
            $output->writeln([$row->work, '  failed: ' . $failure->getMessage()]);

            return ['failure' => $failure->getMessage()];
        }
        $interval = Interval::ofPairedRatio(array_column($pairs, 0), array_column($pairs, 1));
        $figure = [
            'work' => $row->work,
            'peer' => $row->peer,
            'ours' => Statistics::median(array_column($pairs, 0)),
            'theirs' => Statistics::median(array_column($pairs, 1)),
            'ratio' => Statistics::median(array_map(static fn(array $pair): float => $pair[0] / $pair[1], $pairs)),
            'low' => $interval?->low,
            'high' => $interval?->high,
            'bound' => $row->bound,
            'more' => Statistics::median(array_map(static fn(array $pair): float => $pair[0] - $pair[1], $pairs)),
            'more_bound' => $row->more,
            'rounds' => \count($pairs),
            'processes' => \count($shares),
        ];
        if (isset($pairs[0][2], $pairs[0][3])) {
            $figure['files'] = [$pairs[0][2], $pairs[0][3]];
        }
        $output->writeln([$row->work, \sprintf(
            '%-44s %10s %10s %8s %8s %s',
            '  beside ' . $row->peer,
            self::number($figure['ours']),
            self::number($figure['theirs']),
            self::number($figure['ratio']),
            $row->bound === null ? '' : self::number($row->bound),
            self::verdict($row->isReached($figure['ratio'], $figure['more'])),
        ) . ($row->more === null ? '' : \sprintf(' (%+.0f ns, %.0f allowed)', $figure['more'], $row->more))
            . (isset($figure['files']) ? \sprintf(' (%.2f to %.2f; %d files, peer %d)', $figure['low'] ?? \NAN, $figure['high'] ?? \NAN, ...$figure['files']) : '')]);

        return $figure;
    }

    /**
     * Measures in a fresh process.
     *
     * @return non-empty-list<array{0: float, 1: float, 2?: int, 3?: int}> see Row
     * @throws \RuntimeException with the output of the process
     */
    private static function measureOnce(Row $row, int $rounds): array
    {
        $folder = new TemporaryDirectory('/dev/shm');
        // For this process's own settings. Process passes on only variables that existed at the start.
        putenv(Engine::FOLDER_VARIABLE . '=' . $folder->path);
        $php = new Php([...Engine::settings(), ...$row->ini]);
        $process = new Process($php->command([\dirname(__DIR__) . '/row.php', $row->name, (string) $rounds]), env: [Engine::FOLDER_VARIABLE => $folder->path], timeout: self::SECONDS);

        try {
            return self::pairs($process->mustRun()->getOutput());
        } catch (ProcessFailure|\JsonException $failure) {
            throw new \RuntimeException(trim($process->getErrorOutput() . $process->getOutput()), previous: $failure);
        } finally {
            $folder->remove();
        }
    }

    private static function verdict(?bool $isReached): string
    {
        return match ($isReached) {
            null => '',
            true => 'reached',
            false => 'missed',
        };
    }

    /** @return array<string, mixed> */
    private static function environment(): array
    {
        $extensions = get_loaded_extensions();

        return [
            'date' => date(\DATE_ATOM),
            'php' => \PHP_VERSION,
            'versions' => (object) Machine::versions(array_combine($extensions, array_map(static fn(string $extension): string => (string) phpversion($extension), $extensions))),
            'system' => Machine::system(),
            'processor' => Machine::processor(),
            'cores' => max(1, \count(CpuAffinity::allowed())),
        ];
    }

    private static function number(float $value): string
    {
        return match (true) {
            $value >= 1000 => number_format($value),
            $value >= 10 => \sprintf('%.1f', $value),
            $value >= 0.01 => \sprintf('%.3f', $value),
            default => \sprintf('%.6f', $value),
        };
    }

    /** @return non-empty-list<array{0: float, 1: float, 2?: int, 3?: int}> */
    private static function pairs(string $json): array
    {
        $pairs = [];
        $decoded = json_decode($json, true, 8, \JSON_THROW_ON_ERROR);
        foreach (\is_array($decoded) ? $decoded : [] as $pair) {
            if (\is_array($pair) && \is_numeric($pair[0] ?? null) && \is_numeric($pair[1] ?? null)) {
                $pairs[] = [(float) $pair[0], (float) $pair[1], ...(\is_int($pair[2] ?? null) && \is_int($pair[3] ?? null) ? [$pair[2], $pair[3]] : [])];
            }
        }

        return $pairs !== [] ? $pairs : throw new \JsonException('no figures came back');
    }

    private static function text(InputInterface $input, string $option): ?string
    {
        $value = $input->getOption($option);

        return \is_string($value) ? $value : null;
    }
}
