<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** Standard error of a command. */
final class Errors
{
    /** Exit code, as for monitoring: a mistake in the command line, or no cache. */
    public const UNKNOWN = 3;

    public static function of(OutputInterface $output): OutputInterface
    {
        return $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
    }

    /** Says why a command fails, with --json also as an object on standard output. @return int the exit code */
    public static function tell(
        InputInterface $input,
        OutputInterface $output,
        string $message,
        int $code = self::UNKNOWN,
    ): int {
        self::of($output)->writeln(Text::lines($message), OutputInterface::OUTPUT_RAW);
        if ($input->hasParameterOption('--json', true)) {
            $error = ['error' => Text::utf8($message), 'code' => $code];
            $output->writeln(Text::json($error), OutputInterface::OUTPUT_RAW);
        }

        return $code;
    }
}
