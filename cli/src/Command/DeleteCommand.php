<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\ServerEntries;
use Larder\Cli\Inspect\Text;
use Larder\Internal\Driver\Engine\Names;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

/**
 * `larder delete`: deletes an entry, the entries with a prefix, the expired ones, or all. Before deleting many it asks,
 * or needs --yes if there is no terminal. Exits with 1 if there was no such entry, or the answer is no.
 * docs/operate.md.
 */
#[AsCommand('delete', 'Delete an entry, those with a prefix, or all')]
final class DeleteCommand extends InspectCommand
{
    private const AT_ONCE = 1000;

    protected function configure(): void
    {
        parent::configure();
        $this->setHelp('With --json: "deleted", the number of entries, or true for all.');
        $this->addArgument('key', InputArgument::OPTIONAL, 'As the application wrote it, or as keys shows it');
        $this->addOption('prefix', null, InputOption::VALUE_REQUIRED, 'All entries whose keys begin with this');
        $this->addOption('expired', null, InputOption::VALUE_NONE, 'All that have expired, in files and SQL');
        $this->addOption('all', null, InputOption::VALUE_NONE, 'All entries of the segment, or of the cache of --dsn');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        [$key, $prefix] = [$this->text($input, 'key'), $this->text($input, 'prefix')];
        [$isExpired, $isAll] = [$input->getOption('expired') === true, $input->getOption('all') === true];
        if (\count(array_filter([$key !== '', $prefix !== '', $isExpired, $isAll])) !== 1) {
            return $this->fail($output, 'Give one of these: a key, --prefix of a character or more, --expired, --all');
        }
        $what = $isAll ? 'all entries' : \sprintf('all entries whose keys begin with "%s"', Text::plain($prefix));
        $server = $cache === null || $isAll || $isExpired ? null : $this->server($input);
        $where = $cache === null ? self::where() : ($server === null ? 'this cache' : 'this server');
        if (($isAll || $prefix !== '') && $input->getOption('yes') !== true) {
            if (!$input->isInteractive() || !stream_isatty(\STDIN)) {
                return $this->fail($output, \sprintf('To delete %s of %s, add --yes', $what, $where));
            }
            if (!(new SymfonyStyle($input, $output))->confirm(\sprintf('Delete %s of %s?', $what, $where), false)) {
                return self::FAILURE;
            }
        }
        $deleted = match (true) {
            $key !== '' => $cache === null ? self::fromSegment($key) : self::fromCache($cache, $server, $key),
            $prefix !== '' && $server !== null => self::allFromServer($server, $prefix),
            $prefix !== '' => $cache === null ? self::allFromSegment($prefix) : self::allFromCache($cache, $prefix),
            $isExpired => $cache === null ? null : $cache->prune(),
            default => ($cache === null ? larder_clear() : $cache->clear()) ? true : null,
        };
        if ($deleted === null) {
            return $isExpired
                ? $this->fail($output, 'The engine reuses the memory of expired entries by itself')
                : $this->fail($output, 'Not all of this could be deleted: the store did not answer');
        }
        $number = $deleted === true ? 'all' : number_format($deleted);
        $message = \sprintf('Deleted %s %s of %s', $number, $deleted === 1 ? 'entry' : 'entries', $where);
        $isJson = $input->getOption('json') === true;
        $output->writeln($isJson ? Text::json(['deleted' => $deleted]) : $message, OutputInterface::OUTPUT_RAW);

        return $deleted === 0 && !$isExpired ? self::FAILURE : self::SUCCESS;
    }

    private static function fromSegment(string $shown): int
    {
        foreach (Names::ofSegment()->stored($shown) as $name) {
            if (larder_delete($name)) {
                return 1;
            }
        }

        return 0;
    }

    private static function allFromSegment(string $shown): int
    {
        return array_sum(array_map(larder_delete_prefix(...), Names::ofSegment()->stored($shown)));
    }

    /** @return int|null 1 if there was the key as the application wrote it, or a name; null if it may still be there */
    private static function fromCache(Cache $cache, ?ServerEntries $server, string $key): ?int
    {
        $isThere = $cache->has($key);
        if (!$cache->delete($key)) {
            return null;
        }

        return $isThere ? 1 : $server?->delete([$key]) ?? 0;
    }

    private static function allFromCache(Cache $cache, string $prefix): ?int
    {
        $keys = [];
        foreach ($cache->keys($prefix) as $key) { // collect the keys first: deleting may change the list
            $keys[] = $key;
        }
        foreach (array_chunk($keys, self::AT_ONCE) as $some) {
            if (!$cache->deleteMany($some)) {
                return null;
            }
        }

        return \count($keys);
    }

    private static function allFromServer(ServerEntries $server, string $prefix): int
    {
        $names = [];
        foreach ($server->entries() as ['name' => $name]) {
            if (str_starts_with($name, $prefix)) {
                $names[] = $name;
            }
        }

        return $server->delete($names);
    }
}
