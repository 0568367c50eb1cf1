<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Text;
use Larder\Internal\Driver\Engine\Names;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder du`: what the beginnings of keys take of the engine's memory, and whether that is read. docs/operate.md. */
#[AsCommand('du', 'Show which prefixes take memory, and whether they are read')]
final class DuCommand extends InspectCommand
{
    private const SEPARATORS = ':/|.';
    /** Applications whose keys have no prefix would have as many groups as keys. */
    private const MOST_GROUPS = 10_000;
    private const OTHERS = '(others)';
    private const WIDTH = 32;

    protected function configure(): void
    {
        parent::configure();
        $this->addArgument('prefix', InputArgument::OPTIONAL, 'Only keys that begin so, by what follows', '');
        $this->addOption('number', 'n', InputOption::VALUE_REQUIRED, 'How many', '20');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        $number = filter_var($input->getOption('number'), \FILTER_VALIDATE_INT, ['options' => ['min_range' => 1]]);
        if ($number === false || $cache !== null) {
            $mistake = $number === false ? '-n takes a number from 1 on' : 'Only the engine tells sizes of entries';

            return $this->fail($output, $mistake);
        }
        [$groups, $library, $cleared] = self::group($this->text($input, 'prefix'));
        if ($input->getOption('json') === true) {
            $rows = [];
            foreach ($groups as $prefix => $group) {
                $sums = array_combine(['entries', 'bytes', 'read', 'oldest'], $group);
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
        $lines = [self::line('PREFIX', 'ENTRIES', 'SIZE', 'OF ALL', 'READ', 'OLDEST')];
        foreach (\array_slice($groups, 0, $number, true) as $prefix => $group) {
            $lines[] = self::row(Text::key((string) $prefix, self::WIDTH), $group, $all);
        }
        $rest = \array_slice($groups, $number);
        if ($rest !== []) {
            $sum = array_map(static fn(int $field): int => array_sum(array_column($rest, $field)), [0, 1, 2]);
            $more = \sprintf('(%s more)', number_format(\count($rest)));
            $lines[] = self::row($more, [...$sum, max(array_column($rest, 3))], $all);
        }
        $output->writeln([...$lines, self::summary($library, $cleared)], OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * @return array{array<array-key, array{int, int, int, int}>, array{int, int}, array{int, int}} entries, bytes,
     *         read ones and age in seconds of the oldest, by prefix; entries and bytes of the library, and of what
     *         clear() has left
     */
    private static function group(string $prefix): array
    {
        $names = Names::ofSegment();
        $from = \strlen($prefix);
        $groups = [];
        $hidden = [Names::LIBRARY => [0, 0], Names::CLEARED => [0, 0]];
        /** @var array{ttl: float, age: int, size: int, used: bool} $info */
        foreach (new \LarderIterator() as $stored => $info) {
            $key = $names->of($stored);
            if (isset($hidden[$key])) {
                ++$hidden[$key][0];
                $hidden[$key][1] += $info['size'];

                continue;
            }
            if ($from > 0 && !str_starts_with($key, $prefix)) {
                continue;
            }
            $begin = $key === $stored ? $from : max($from, Names::lengthOfNamespace($key, $stored));
            $group = substr($key, 0, $begin + strcspn($key, self::SEPARATORS, $begin) + 1);
            if (!isset($groups[$group])) {
                $group = \count($groups) < self::MOST_GROUPS ? $group : self::OTHERS;
                $groups[$group] ??= [0, 0, 0, 0];
            }
            $sums = &$groups[$group];
            ++$sums[0];
            $sums[1] += $info['size'];
            $sums[2] += $info['used'] ? 1 : 0;
            if ($info['age'] > $sums[3]) {
                $sums[3] = $info['age'];
            }
        }
        unset($sums);
        uasort($groups, static fn(array $a, array $b): int => $b[1] <=> $a[1]);

        return [$groups, $hidden[Names::LIBRARY], $hidden[Names::CLEARED]];
    }

    /** @param array{int, int, int, int} $group */
    private static function row(string $prefix, array $group, int $all): string
    {
        [$entries, $bytes, $read, $oldest] = $group;

        return self::line(
            $prefix,
            number_format($entries),
            Helper::formatMemory($bytes),
            Text::percent($bytes, $all),
            Text::percent($read, $entries),
            Text::time($oldest),
        );
    }

    private static function line(string $prefix, string ...$columns): string
    {
        $space = str_repeat(' ', max(0, self::WIDTH - Helper::width($prefix)));

        return $prefix . $space . vsprintf(' %9s %9s %7s %6s %9s', $columns);
    }

    /**
     * @param array{int, int} $library
     * @param array{int, int} $cleared
     */
    private static function summary(array $library, array $cleared): string
    {
        $left = "\nLeft by clear(): %s entries, %s. They are evicted when room is needed.";

        return self::where() . '.' . self::sums(' Keys of the library: %s, %s.', $library) . self::sums($left, $cleared);
    }

    /** @param array{int, int} $sums */
    private static function sums(string $format, array $sums): string
    {
        [$entries, $bytes] = $sums;

        return $entries === 0 ? '' : \sprintf($format, number_format($entries), Helper::formatMemory($bytes));
    }
}
