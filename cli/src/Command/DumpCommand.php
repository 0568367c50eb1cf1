<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Dump\Dump;
use Larder\Exception\CacheException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder dump FILE`: writes the engine's entries to a file, for `larder load` after a restart. Exits with 0 or 1. */
#[AsCommand('dump', 'Write all entries of the engine to a file')]
final class DumpCommand extends Command
{
    protected function configure(): void
    {
        $this->addArgument('file', InputArgument::REQUIRED, 'An old file of this name is replaced once the new one is whole');
        $this->addOption('prefix', null, InputOption::VALUE_REQUIRED, 'Only keys that begin with this, in all namespaces', '');
        LoadCommand::addAutoload($this);
        InspectCommand::addUserAndSegment($this);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        LoadCommand::autoload($input);
        $file = LoadCommand::text($input->getArgument('file'));
        $steps = new Steps(LoadCommand::errors($output));

        try {
            $steps->begin('dump');
            $counts = Dump::write(
                $file,
                LoadCommand::text($input->getOption('prefix')),
                static fn(int $done, int $all) => $steps->progress($done, $all, null, 'entries'),
            );
        } catch (CacheException $failed) {
            $steps->clear();
            LoadCommand::errors($output)->writeln($failed->getMessage(), OutputInterface::OUTPUT_RAW);

            return Command::FAILURE;
        }
        $steps->clear();
        $output->writeln(\sprintf('%s: %s entries, %.1f MiB.', $file, number_format($counts['entries']), $counts['bytes'] / (1 << 20)), OutputInterface::OUTPUT_RAW);
        if ($counts['skipped'] > 0) {
            $output->writeln(LoadCommand::skipped($counts['skipped']));
        }

        return Command::SUCCESS;
    }
}
