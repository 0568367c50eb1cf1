<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Keys;
use Larder\Cli\Inspect\Text;
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
    /** Columns before a key. */
    private const COLUMNS = 38;

    protected function configure(): void
    {
        parent::configure();
        $this->setHelp(<<<'HELP'
            With --json: "entries" (each with "key", "size", "age", "ttl": 0.0 for never, "read"; null: the server does not tell),
            "count" and "bytes" (of all that match), "library" and "cleared" (entries that are not shown). For a namespace on a
            server, and for files and SQL: a list of keys.
            HELP);
        $this->addArgument('prefix', InputArgument::OPTIONAL, 'Only keys that begin with this', '');
        $this->addOption('number', 'n', InputOption::VALUE_REQUIRED, 'Number of lines', '20');
        $first = 'First: the largest (size), oldest (age) or next to expire (ttl)';
        $this->addOption('sort', null, InputOption::VALUE_REQUIRED, $first, 'size');
        $this->addOption('unread', null, InputOption::VALUE_NONE, 'Only those not read since stored or moved');
        $this->addOption('all', null, InputOption::VALUE_NONE, 'Also the library\'s own keys, and those left by clear()');
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
        $isUnread = $input->getOption('unread') === true;
        $server = $cache === null ? null : $this->server($input);
        if ($cache !== null && $server === null) {
            return $this->names($cache, $prefix, $number, $isJson, $output);
        }
        if ($server !== null && ($isUnread || $sort === 'age')) {
            return $this->fail($output, 'Only the engine knows that of each entry: a server takes --sort size and ttl');
        }
        $found = $server === null
            ? Keys::find($prefix, $number, $sort, $isUnread, $input->getOption('all') === true)
            : Keys::onServer($server, $prefix, $number, $sort);
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
        $columns = Screen::columns($output);
        foreach ($found['entries'] as [$key, $info]) {
            $line = \sprintf(
                '%9s %8s  %8s   %-4s   %s',
                Helper::formatMemory($info['size']),
                $info['age'] === null ? '-' : Text::time($info['age']),
                $info['ttl'] === 0.0 ? 'never' : Text::time($info['ttl']),
                match ($info['used']) {
                    null => '-',
                    true => 'yes',
                    false => 'no',
                },
                self::key($key, $columns, self::COLUMNS),
            );
            $output->writeln($line, OutputInterface::OUTPUT_RAW);
        }
        $where = $server === null ? self::where() : 'This server';
        $output->writeln(self::summary($where, $found), OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * The ends of keys often tell them apart. Programs need whole keys.
     *
     * @param int|null $columns of the terminal; null: there is none
     * @param int $used columns before the key
     */
    private static function key(string $key, ?int $columns, int $used): string
    {
        return $columns === null ? Text::plain($key) : Text::middle($key, max(20, $columns - $used));
    }

    /** @param array{count: int, bytes: int, library: int, cleared: int} $found */
    private static function summary(string $where, array $found): string
    {
        $library = number_format($found['library']);
        $cleared = Text::entries($found['cleared']);

        return \sprintf('%s: %s, %s.', $where, Text::entries($found['count']), Helper::formatMemory($found['bytes']))
            . ($library === '0' ? '' : " Keys of the library: $library (--all).")
            . ($found['cleared'] === 0 ? '' : "\nLeft by clear(): $cleared, evicted when room is needed.");
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
        $columns = Screen::columns($output);
        $lines = array_map(static fn(string $name): string => self::key($name, $columns, 0), $names);
        if ($names === []) {
            $this->say($output, 'No entries' . ($prefix === '' ? '.' : ' begin with "' . Text::plain($prefix) . '".'));
        }
        $json = $isJson ? [Text::json(array_map(Text::utf8(...), $names))] : [];
        $output->writeln($isJson ? $json : $lines, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }
}
