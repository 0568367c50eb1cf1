<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\Text;
use Larder\Cli\Operator\Agent;
use Larder\Cli\System\ServerFailed;
use Larder\Exception\CacheException;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * A command that carries the engine's entries into a file or out of one. It exits with 0, or with 1 and the reason;
 * with 3 for a mistake in the command line.
 */
abstract class CarryCommand extends Command
{
    protected function configure(): void
    {
        $this->addArgument('file', InputArgument::REQUIRED, 'The dump (docs/operate.md)');
        $what = 'A file that loads the application\'s classes, such as vendor/autoload.php';
        $this->addOption('autoload', null, InputOption::VALUE_REQUIRED, $what);
    }

    final protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $socket = $input->hasOption('fcgi') ? $input->getOption('fcgi') : null;
        $errors = Errors::of($output);
        $refusal = $this->refusal($input);
        if ($refusal === '' && $input->getArgument('file') === '-') {
            $refusal = 'A dump is a file that only its user can read, and is put in place when it is whole, so it is not '
                . 'written to standard output. Name a file, such as /var/lib/larder/warm.dump';
        }
        if ($refusal !== '') {
            return Errors::tell($input, $output, $refusal);
        }
        if ($socket !== null) {
            try {
                return Agent::relay(self::text($socket), $input, $this->getDefinition(), $output);
            } catch (ServerFailed $failure) {
                $why = Text::plain($failure->getMessage());

                return Errors::tell($input, $output, $why);
            }
        }
        self::autoload($input);
        $steps = new Steps($errors);
        $steps->begin((string) $this->getName());

        try {
            [$lines, $data] = $this->carry(self::text($input->getArgument('file')), $input, $steps);
        } catch (CacheException $failed) {
            $steps->clear();
            $isMistake = $failed instanceof InvalidDsn || $failed instanceof NotSupported;

            return Errors::tell(
                $input,
                $output,
                $failed->getMessage(),
                $isMistake ? Errors::UNKNOWN : self::FAILURE,
            );
        }
        $steps->clear();
        $output->writeln($input->getOption('json') === true ? Text::json($data) : $lines, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * @return array{list<string>, array<string, mixed>} what was done, and the same for --json
     * @throws CacheException
     */
    abstract protected function carry(string $file, InputInterface $input, Steps $steps): array;

    /** @return string why an option is not taken here; "" if all are */
    protected function refusal(InputInterface $input): string
    {
        return '';
    }

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
