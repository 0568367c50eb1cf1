<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Dump\Dump;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** `larder dump FILE`: writes a new file, and replaces an old one of that name when the new one is complete. */
#[AsCommand('dump', 'Write all entries of the engine to a file')]
final class DumpCommand extends CarryCommand
{
    protected function configure(): void
    {
        parent::configure();
        $what = 'Only keys that begin with this, in all namespaces';
        $this->addOption('prefix', null, InputOption::VALUE_REQUIRED, $what, '');
    }

    protected function carry(string $file, InputInterface $input, Steps $steps): array
    {
        $prefix = self::text($input->getOption('prefix'));
        $progress = static fn(int $done, int $all) => $steps->progress($done, $all, null, 'entries');
        ['entries' => $entries, 'skipped' => $skipped, 'bytes' => $bytes] = Dump::write($file, $prefix, $progress);
        $mebibytes = $bytes / (1 << 20);

        return [
            \sprintf('%s: %s entries, %.1f MiB.', $file, number_format($entries), $mebibytes),
            ...self::skipped($skipped),
        ];
    }
}
