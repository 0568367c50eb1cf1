<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Dump\Dump;
use Larder\Exception\CacheException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder load FILE`: stores what `larder dump` wrote into the engine, once, and renames the file to FILE.loaded. Exits with
 * 0, or with 1 and the reason if nothing was loaded.
 */
#[AsCommand('load', 'Read such a file into the engine, once')]
final class LoadCommand extends Command
{
    protected function configure(): void
    {
        $this->addArgument('file', InputArgument::REQUIRED, 'What larder dump has written; it becomes FILE.loaded');
        $this->addOption('max-age', null, InputOption::VALUE_REQUIRED, 'Refuse a dump that is older than so many seconds', '3600');
        $this->addOption('into-older', null, InputOption::VALUE_NONE, 'Load into a cache that is older than the dump: what was deleted there since comes back');
        self::addAutoload($this);
        InspectCommand::addUserAndSegment($this);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        self::autoload($input);
        $file = self::text($input->getArgument('file'));
        $seconds = self::text($input->getOption('max-age'));
        if (preg_match('/^\d{1,9}$/D', $seconds) !== 1) {
            throw new InvalidOptionException("--max-age: $seconds is not a number of seconds.");
        }
        $steps = new Steps(self::errors($output));

        try {
            $steps->begin('load');
            $counts = Dump::load(
                $file,
                (float) $seconds,
                $input->getOption('into-older') === true,
                static fn(int $done, int $all) => $steps->progress($done, $all, null, 'of the file'),
            );
        } catch (CacheException $failed) {
            $steps->clear();
            self::errors($output)->writeln($failed->getMessage(), OutputInterface::OUTPUT_RAW);

            return Command::FAILURE;
        }
        $steps->clear();
        $output->writeln(\sprintf('%s: %s entries loaded; now %s.loaded.', $file, number_format($counts['entries']), $file), OutputInterface::OUTPUT_RAW);
        foreach (['there' => 'were there already, and stay', 'expired' => 'had expired', 'refused' => 'found no room: larder resize makes the cache larger'] as $what => $why) {
            if ($counts[$what] > 0) {
                $output->writeln(\sprintf('%s %s.', number_format($counts[$what]), $why));
            }
        }
        if ($counts['skipped'] > 0) {
            $output->writeln(self::skipped($counts['skipped']));
        }

        return Command::SUCCESS;
    }

    public static function addAutoload(Command $command): void
    {
        $command->addOption('autoload', null, InputOption::VALUE_REQUIRED, 'A file that loads the application\'s classes, such as vendor/autoload.php');
    }

    public static function autoload(InputInterface $input): void
    {
        $file = $input->getOption('autoload');
        if ($file === null) {
            return;
        }
        $path = realpath(self::text($file));
        if ($path === false || !is_file($path)) {
            throw new InvalidOptionException('--autoload: there is no file ' . self::text($file) . '.');
        }

        require_once $path;
    }

    public static function errors(OutputInterface $output): OutputInterface
    {
        return $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
    }

    public static function skipped(int $entries): string
    {
        return \sprintf('%s skipped: objects whose classes are not here, or not allowed. Name them by --autoload.', number_format($entries));
    }

    public static function text(mixed $given): string
    {
        return \is_string($given) ? $given : '';
    }
}
