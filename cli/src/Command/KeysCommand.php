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

/** `larder keys`: lists entries with a prefix, the largest, the oldest or the next to expire first. docs/operate.md. */
#[AsCommand('keys', 'List entries, largest first')]
final class KeysCommand extends InspectCommand
{
    private const WIDTH = 40;

    protected function configure(): void
    {
        parent::configure();
        $this->addArgument('prefix', InputArgument::OPTIONAL, 'Only keys that begin so', '');
        $this->addOption('number', 'n', InputOption::VALUE_REQUIRED, 'How many', '20');
        $first = 'First: the largest (size), oldest (age) or next to expire (ttl)';
        $this->addOption('sort', null, InputOption::VALUE_REQUIRED, $first, 'size');
        $this->addOption('unread', null, InputOption::VALUE_NONE, 'Only those not read since stored or moved');
        $this->addOption('all', null, InputOption::VALUE_NONE, 'Those of the library and those left by clear(), too');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        $number = filter_var($input->getOption('number'), \FILTER_VALIDATE_INT, ['options' => ['min_range' => 1]]);
        $sort = $this->text($input, 'sort');
        if ($number === false || !\in_array($sort, ['size', 'age', 'ttl'], true)) {
            return $this->fail($output, '-n takes a number from 1 on, and --sort takes size, age or ttl');
        }
        $prefix = $this->text($input, 'prefix');
        $isJson = $input->getOption('json') === true;
        if ($cache !== null) {
            return $this->names($cache, $prefix, $number, $isJson, $output);
        }
        $isUnread = $input->getOption('unread') === true;
        $found = $this->find($prefix, $number, $sort, $isUnread, $input->getOption('all') === true);
        if ($isJson) {
            $found['entries'] = array_map(static fn(array $row): array => [
                'key' => Text::utf8($row[0]),
                'size' => $row[1]['size'],
                'age' => $row[1]['age'],
                'ttl' => $row[1]['ttl'],
                'read' => $row[1]['used'],
            ], $found['entries']);
            $output->writeln(Text::json($found), OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }
        $output->writeln('     SIZE      AGE   EXPIRES   READ   KEY', OutputInterface::OUTPUT_RAW);
        foreach ($found['entries'] as [$key, $info]) {
            $line = \sprintf(
                '%9s %8s  %8s   %-4s   %s',
                Helper::formatMemory($info['size']),
                Text::time($info['age']),
                $info['ttl'] === 0.0 ? 'never' : Text::time($info['ttl']),
                $info['used'] ? 'yes' : 'no',
                Text::key($key, self::WIDTH),
            );
            $output->writeln($line, OutputInterface::OUTPUT_RAW);
        }
        $output->writeln(self::summary($found), OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * Keeps only the first entries in a heap, so that a million keys need little memory.
     *
     * @return array{
     *     entries: list<array{string, array{ttl: float, age: int, size: int, used: bool}}>,
     *     count: int,
     *     bytes: int,
     *     library: int,
     *     cleared: int,
     * }
     */
    private function find(string $prefix, int $number, string $sort, bool $isUnread, bool $isAll): array
    {
        $names = Names::ofSegment();
        /** @var \SplMinHeap<array{int|float, string, array{ttl: float, age: int, size: int, used: bool}}> $heap */
        $heap = new \SplMinHeap();
        [$count, $bytes, $library, $cleared, $least, $isFull] = [0, 0, 0, 0, 0, false];
        /** @var array{ttl: float, age: int, size: int, used: bool} $info */
        foreach (new \LarderIterator() as $stored => $info) {
            $key = $names->of($stored);
            if ($key === Names::LIBRARY || $key === Names::CLEARED) {
                $key === Names::LIBRARY ? ++$library : ++$cleared;
                if (!$isAll) {
                    continue;
                }
                $key = $stored;
            }
            if (($prefix !== '' && !str_starts_with($key, $prefix)) || ($isUnread && $info['used'])) {
                continue;
            }
            ++$count;
            $bytes += $info['size'];
            $rank = match ($sort) {
                'size' => $info['size'],
                'age' => $info['age'],
                default => $info['ttl'] === 0.0 ? -\INF : -$info['ttl'],
            };
            if (!$isFull || $rank > $least) {
                $heap->insert([$rank, $key, $info]);
                if ($heap->count() > $number) {
                    $heap->extract();
                }
                $isFull = $heap->count() === $number;
                $least = $heap->top()[0];
            }
        }
        $entries = [];
        while (!$heap->isEmpty()) {
            [, $key, $info] = $heap->extract();
            $entries[] = [$key, $info];
        }

        return [
            'entries' => array_reverse($entries),
            'count' => $count,
            'bytes' => $bytes,
            'library' => $library,
            'cleared' => $cleared,
        ];
    }

    /** @param array{count: int, bytes: int, library: int, cleared: int} $found */
    private static function summary(array $found): string
    {
        $numbers = [$found['count'], $found['library'], $found['cleared']];
        [$count, $library, $cleared] = array_map(number_format(...), $numbers);

        return \sprintf('%s: %s entries, %s.', self::where(), $count, Helper::formatMemory($found['bytes']))
            . ($library === '0' ? '' : " Keys of the library: $library (--all).")
            . ($cleared === '0' ? '' : "\nLeft by clear(): $cleared entries. They are evicted when room is needed.");
    }

    /** Names alone: other stores report nothing else about their entries. */
    private function names(Cache $cache, string $prefix, int $number, bool $isJson, OutputInterface $output): int
    {
        $names = [];
        foreach ($cache->keys($prefix) as $key) {
            $names[] = $key;
            if (\count($names) === $number) {
                break;
            }
        }
        $lines = array_map(static fn(string $name): string => Text::key($name, 80), $names);
        if ($names === []) {
            $this->fail($output, 'No entries' . ($prefix === '' ? '.' : ' that begin so.'));
        }
        $json = $isJson ? [Text::json(array_map(Text::utf8(...), $names))] : [];
        $output->writeln($isJson ? $json : $lines, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }
}
