<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\Inspect\Text;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder du`: shows how much of the engine's memory each prefix takes, and whether its entries are read.
 * docs/operate.md.
 */
#[AsCommand('du', 'Show which prefixes take memory, and whether they are read')]
final class DuCommand extends InspectCommand
{
    protected function configure(): void
    {
        parent::configure();
        $this->setHelp(<<<'HELP'
            With --json: "prefixes" (each with "prefix", "entries", "bytes", "read", "oldest" in seconds, and "often": those
            read three or four times or more), "library" and "cleared" ("entries" and "bytes").
            HELP);
        $this->addArgument('prefix', InputArgument::OPTIONAL, 'Only keys that begin with this, grouped by what follows', '');
        $this->addOption('number', 'n', InputOption::VALUE_REQUIRED, 'Number of lines', '20');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        $number = filter_var($input->getOption('number'), \FILTER_VALIDATE_INT, ['options' => ['min_range' => 1]]);
        if ($number === false || $cache !== null) {
            $mistake = $number === false ? '-n takes a number from 1 on' : 'Only the engine reports the sizes of entries';

            return $this->fail($output, $mistake);
        }
        [$groups, $library, $cleared] = Prefixes::all($this->text($input, 'prefix'));
        if ($input->getOption('json') === true) {
            $rows = [];
            foreach ($groups as $prefix => $group) {
                $sums = array_combine(['entries', 'bytes', 'read', 'oldest', 'often'], $group);
                $rows[] = ['prefix' => Text::utf8((string) $prefix), ...$sums];
            }
            $output->writeln(Text::json([
                'prefixes' => $rows,
                'library' => array_combine(['entries', 'bytes'], $library),
                'cleared' => array_combine(['entries', 'bytes'], $cleared),
            ]), OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }
        $all = array_sum(array_column($groups, 1));
        $isWhole = Screen::columns($output) === null;
        $lines = [Prefixes::head()];
        foreach (\array_slice($groups, 0, $number, true) as $prefix => $group) {
            $lines[] = Prefixes::row((string) $prefix, $group, $all, $isWhole);
        }
        $rest = \array_slice($groups, $number);
        if ($rest !== []) {
            $sum = array_map(static fn(int $field): int => array_sum(array_column($rest, $field)), [0, 1, 2]);
            $more = \sprintf('(%s more)', number_format(\count($rest)));
            $lines[] = Prefixes::row($more, [...$sum, max(array_column($rest, 3)), 0], $all, $isWhole);
        }
        $output->writeln([...$lines, self::summary($library, $cleared)], OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * @param array{int, int} $library
     * @param array{int, int} $cleared
     */
    private static function summary(array $library, array $cleared): string
    {
        $left = "\nLeft by clear(): %s, %s, evicted when room is needed.";

        return self::where() . '.' . self::sums(' Of the library: %s, %s.', $library) . self::sums($left, $cleared);
    }

    /** @param array{int, int} $sums */
    private static function sums(string $format, array $sums): string
    {
        [$entries, $bytes] = $sums;

        return $entries === 0 ? '' : \sprintf($format, Text::entries($entries), Helper::formatMemory($bytes));
    }
}
