<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Inspect\Text;
use Larder\Dump\Dump;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * `larder load FILE`: stores the entries of a file of `larder dump` in the engine, then renames the file to
 * FILE.loaded.
 */
#[AsCommand('load', 'Read a dump into the engine, once')]
final class LoadCommand extends CarryCommand
{
    /** Reasons for which entries were not stored, by their names in the result of Dump::load(). */
    private const NOT_STORED = [
        'there' => 'were there already, and stay',
        'expired' => 'had expired',
        'refused' => 'found no room: larder resize makes the cache larger',
    ];

    protected function configure(): void
    {
        parent::configure();
        InspectCommand::addCommon($this, 'Not here: it loads into the engine');
        $this->setHelp('With --json: "file", "entries" (loaded), "there", "expired", "refused", "skipped".');
        $age = 'Refuse a dump that is older than this many seconds';
        $this->addOption('max-age', null, InputOption::VALUE_REQUIRED, $age, '3600');
        $older = 'Load into a cache that is older than the dump: what was deleted there since comes back';
        $this->addOption('into-older', null, InputOption::VALUE_NONE, $older);
    }

    protected function refusal(InputInterface $input): string
    {
        return InspectCommand::whyNoDsn($input, $this);
    }

    protected function carry(string $file, InputInterface $input, Steps $steps): array
    {
        $seconds = self::text($input->getOption('max-age'));
        if (preg_match('/^\d{1,9}$/D', $seconds) !== 1) {
            throw new InvalidOptionException("--max-age: $seconds is not a number of seconds.");
        }
        $progress = static fn(int $done, int $all) => $steps->progress($done, $all, null, 'of the file');
        $counts = Dump::load($file, (float) $seconds, $input->getOption('into-older') === true, $progress);
        $lines = [\sprintf('%s: %s entries loaded; now %s.loaded.', $file, number_format($counts['entries']), $file)];
        foreach (self::NOT_STORED as $what => $why) {
            if ($counts[$what] > 0) {
                $lines[] = \sprintf('%s %s.', number_format($counts[$what]), $why);
            }
        }

        return [[...$lines, ...self::skipped($counts['skipped'])], ['file' => Text::utf8($file)] + $counts];
    }
}
