<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Profile;
use Larder\Cli\Inspect\Errors;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Decorator\Sampling\RecordingFile;
use Larder\Internal\Process\User;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder sample`: shows the live traffic recorded by caches that were opened with sample=. docs/measure.md. */
#[AsCommand('sample', 'Show how a program uses its cache, as recorded from live traffic')]
final class SampleCommand extends Command
{
    /** With fewer samples, sizes are unreliable. */
    private const FEW = 1000;

    protected function configure(): void
    {
        $this
            ->addOption(
                'show',
                null,
                InputOption::VALUE_NONE,
                'Print the profile that was recorded, for larder compare --profile',
            )
            ->addOption('reset', null, InputOption::VALUE_NONE, 'Discard what was recorded')
            ->setHelp(<<<'TEXT'
                To record, add <info>sample=1000</info> to the DSN of the program, on the machine where it runs:

                  redis://127.0.0.1:6379?sample=1000

                One operation in 1,000 is looked at: sizes, reads, hits; no key and no value is kept. All processes of one
                user on one machine share a recording, so run this command as the user of the web server:

                  <info>sudo -u www-data larder sample --show > profile.json</info>
                  <info>larder compare --profile profile.json</info>
                TEXT);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = Errors::of($output);

        try {
            $file = RecordingFile::ofThisUser();
        } catch (StoreUnavailable $none) {
            $errors->writeln('There is no place for a recording. ' . $none->getMessage(), OutputInterface::OUTPUT_RAW);

            return Command::FAILURE;
        }
        $recording = $file->read();
        if ($recording->samples === 0) {
            $isShown = $input->getOption('show') === true; // then standard output is a valid profile, or empty
            ($isShown ? $errors : $output)->writeln(
                \sprintf(
                    'Nothing was recorded for the user %s. Add sample=1000 to the DSN of the program, '
                        . 'or run this as its user: larder sample --help',
                    User::name(),
                ),
                OutputInterface::OUTPUT_RAW,
            );

            return $isShown ? Command::FAILURE : Command::SUCCESS;
        }
        if ($input->getOption('show') === true) {
            $output->writeln((string) Profile::of($recording), OutputInterface::OUTPUT_RAW);
        } else {
            $output->writeln(
                \sprintf(
                    '%s samples from %s to %s.',
                    number_format($recording->samples),
                    date('Y-m-d H:i', (int) $recording->since),
                    date('Y-m-d H:i', (int) $recording->until),
                ),
                OutputInterface::OUTPUT_RAW,
            );
        }
        if ($recording->samples < self::FEW) {
            $errors->writeln(\sprintf('Only %d samples: the shares are rough.', $recording->samples));
        }
        if ($input->getOption('reset') === true) {
            if (!$file->remove()) {
                $errors->writeln(\sprintf('%s could not be removed.', $file->path), OutputInterface::OUTPUT_RAW);

                return Command::FAILURE;
            }
            $errors->writeln('The recording was discarded.');
        }

        return Command::SUCCESS;
    }
}
