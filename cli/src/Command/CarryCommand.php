<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Exception\CacheException;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** A command that carries the engine's entries into a file or out of one. It exits with 0, or with 1 and the reason. */
abstract class CarryCommand extends Command
{
    protected function configure(): void
    {
        $this->addArgument('file', InputArgument::REQUIRED, 'A dump: docs/operate.md');
        $what = 'A file that loads the application\'s classes, such as vendor/autoload.php';
        $this->addOption('autoload', null, InputOption::VALUE_REQUIRED, $what);
        InspectCommand::addUserAndSegment($this);
    }

    final protected function execute(InputInterface $input, OutputInterface $output): int
    {
        self::autoload($input);
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $steps = new Steps($errors);
        $steps->begin((string) $this->getName());

        try {
            $lines = $this->carry(self::text($input->getArgument('file')), $input, $steps);
        } catch (CacheException $failed) {
            $steps->clear();
            $errors->writeln($failed->getMessage(), OutputInterface::OUTPUT_RAW);

            return self::FAILURE;
        }
        $steps->clear();
        $output->writeln($lines, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * @return list<string> what was done
     * @throws CacheException
     */
    abstract protected function carry(string $file, InputInterface $input, Steps $steps): array;

    /** @return list<string> */
    protected static function skipped(int $entries): array
    {
        $what = '%s skipped: objects whose classes are not here, or not allowed. Name them by --autoload.';

        return $entries === 0 ? [] : [\sprintf($what, number_format($entries))];
    }

    protected static function text(mixed $given): string
    {
        return \is_string($given) ? $given : '';
    }

    private static function autoload(InputInterface $input): void
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
}
