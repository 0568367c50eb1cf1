<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\System\Php;
use Larder\Internal\Driver\Engine\Segments;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Process;

/**
 * `larder resize`: replaces the engine's segment by an empty one with the settings of php.ini, or with those given
 * here. A segment keeps the size, process limit and pin share of its creation, so they can only be changed by a new
 * segment. All processes of this user switch to it within a second, or at their next request. Exits with 0, or with 1
 * and the reason if no segment can be created.
 */
#[AsCommand('resize', 'Replace the engine\'s memory by an empty one of another size')]
final class ResizeCommand extends Command
{
    /** Settings that are fixed for a segment, and its name, by the option that sets each. */
    private const SETTINGS = [
        'size' => 'larder.size', 'processes' => 'larder.processes', 'pin-share' => 'larder.pin_share',
        'segment' => 'larder.segment', 'path' => 'larder.path',
    ];

    /** PHP code for a new process, because these settings are read when a process attaches. */
    private const CODE = 'if (!extension_loaded("larder")) { echo "PHP does not load the extension larder by itself: '
        . 'add extension=larder to php.ini. Nothing was changed."; exit(1); } '
        . 'foreach (json_decode($argv[1], true) as $name => $value) { if (ini_get($name) !== $value) { '
        . 'echo "Nothing was changed."; exit(1); } } '
        . 'if (!larder_resize()) { echo larder_info()["reason"]; exit(1); } larder_fetch("k"); $info = larder_info(); '
        . 'printf("%s: %d MiB, %d processes", $info["path"], $info["size"] >> 20, $info["processes"]["limit"]);';

    protected function configure(): void
    {
        $this->addArgument(
            'size',
            InputArgument::OPTIONAL,
            'The new larder.size, such as 128M; default: that of php.ini',
        );
        foreach (self::SETTINGS as $name => $setting) {
            if ($name !== 'size') {
                $this->addOption(
                    $name,
                    null,
                    InputOption::VALUE_REQUIRED,
                    \sprintf('%s; default: that of php.ini', $setting),
                );
            }
        }
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!\extension_loaded('larder')) {
            $output->writeln('The extension larder is not loaded, so there is no segment to resize.');

            return Command::FAILURE;
        }
        $settings = [];
        foreach (self::SETTINGS as $name => $setting) {
            $value = $name === 'size' ? $input->getArgument('size') : $input->getOption($name);
            if (\is_string($value)) {
                $settings[$setting] = $value;
            }
        }
        $warning = isset($settings['larder.segment']) || isset($settings['larder.path'])
            ? ''
            : Segments::clearedInstead(self::keys());
        $php = new Php(
            ['log_errors' => '0', 'display_errors' => 'stderr', 'display_startup_errors' => '1', ...$settings],
        );
        $process = new Process(
            $php->command(['-r', self::CODE, '--', json_encode($settings, \JSON_THROW_ON_ERROR | \JSON_FORCE_OBJECT)]),
            env: $php->environment(),
        );
        $process->run();
        // PHP warns of a refused value at startup, where the warning can name no line of a file.
        $warnings = preg_replace(
            '~^Warning: +(.*?)(?:; the value is ignored)? in Unknown on line 0$~m',
            '$1.',
            trim($process->getErrorOutput()),
        );
        $output->writeln(trim($warnings . "\n" . $process->getOutput()), OutputInterface::OUTPUT_RAW);
        if ($process->isSuccessful()) {
            $output->writeln(\sprintf(
                'The new segment is empty. All processes of user %d switch to it within a second, '
                    . 'or at their next request.',
                posix_geteuid(),
            ));
            if ($warning !== '') {
                ($output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output)
                    ->writeln($warning, OutputInterface::OUTPUT_RAW);
            }
        }

        return $process->isSuccessful() ? Command::SUCCESS : Command::FAILURE;
    }

    /** @return iterable<string> */
    private static function keys(): iterable
    {
        foreach (new \LarderIterator() as $key => $info) {
            yield $key;
        }
    }
}
