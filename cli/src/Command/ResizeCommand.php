<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Php;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Process;

/**
 * `larder resize`: makes the engine's segment anew with the settings of php.ini, or with those given here. A segment keeps
 * the size, the number of processes and the share of pins that it was made with, whoever comes with others; this is the one
 * way to change them while it is there. The new one is empty; all processes of this user come to it within a second or with
 * their next request. Ends with 0, or with 1 and the reason when no segment can be made.
 */
#[AsCommand('resize', 'Makes the engine\'s segment anew, empty, with another size')]
final class ResizeCommand extends Command
{
    /** Settings that a segment keeps, and its name, by the option that gives another. */
    private const SETTINGS = ['size' => 'larder.size', 'processes' => 'larder.processes', 'pin-share' => 'larder.pin_share', 'segment' => 'larder.segment', 'path' => 'larder.path'];

    /** What is settled when a process attaches needs a process of its own. */
    private const CODE = 'foreach (json_decode($argv[1], true) as $name => $value) { if (ini_get($name) !== $value) { echo extension_loaded("larder") ? "" : "The PHP that this command starts does not load the extension larder: it has to stand in php.ini. ", "Nothing was changed."; exit(1); } } '
        . 'if (!larder_resize()) { echo larder_info()["reason"]; exit(1); } larder_fetch("k"); $info = larder_info(); printf("%s: %d MiB, %d processes", $info["path"], $info["size"] >> 20, $info["processes"]["limit"]);';

    protected function configure(): void
    {
        $this->addArgument('size', InputArgument::OPTIONAL, 'The new larder.size, such as 128M; that of php.ini if none is given');
        foreach (self::SETTINGS as $name => $setting) {
            if ($name !== 'size') {
                $this->addOption($name, null, InputOption::VALUE_REQUIRED, \sprintf('The %s to use instead of that of php.ini', $setting));
            }
        }
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!\extension_loaded('larder')) {
            $output->writeln('The extension larder is not loaded: there is no segment.');

            return Command::FAILURE;
        }
        $settings = [];
        foreach (self::SETTINGS as $name => $setting) {
            $value = $name === 'size' ? $input->getArgument('size') : $input->getOption($name);
            if (\is_string($value)) {
                $settings[$setting] = $value;
            }
        }
        $php = new Php(['log_errors' => '0', 'display_errors' => 'stderr', 'display_startup_errors' => '1', ...$settings]);
        $process = new Process($php->command(['-r', self::CODE, '--', json_encode($settings, \JSON_THROW_ON_ERROR | \JSON_FORCE_OBJECT)]), env: $php->environment());
        $process->run();
        $output->writeln(trim(trim($process->getErrorOutput()) . "\n" . $process->getOutput()), OutputInterface::OUTPUT_RAW);
        if ($process->isSuccessful()) {
            $output->writeln(\sprintf('It is empty. All processes of user %d come to it within a second, or with their next request.', posix_geteuid()));
        }

        return $process->isSuccessful() ? Command::SUCCESS : Command::FAILURE;
    }
}
