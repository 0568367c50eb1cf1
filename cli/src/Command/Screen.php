<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;
use Symfony\Component\Console\Terminal;

/** The terminal that a command writes to. */
final class Screen
{
    /** @return int|null null: the output goes to no terminal */
    public static function columns(OutputInterface $output): ?int
    {
        return $output instanceof StreamOutput && stream_isatty($output->getStream())
            ? (new Terminal())->getWidth()
            : null;
    }
}
