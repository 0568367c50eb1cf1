<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Exported;
use Larder\Cli\Inspect\Servers;
use Larder\Cli\Inspect\Text;
use Larder\Dump\Dump;
use Larder\Exception\CacheException;
use Larder\Exception\DumpFailed;
use Larder\Internal\Dump\DumpWriter;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * `larder dump FILE`: writes a new file, and replaces an old one of that name when the new one is complete. With --dsn, it
 * has the entries of another store, to load them into the engine.
 */
#[AsCommand('dump', 'Write all entries to a file, a dump')]
final class DumpCommand extends CarryCommand
{
    protected function configure(): void
    {
        parent::configure();
        $what = 'Only keys that begin with this, in all namespaces';
        $this->addOption('prefix', null, InputOption::VALUE_REQUIRED, $what, '');
        $this->addOption('fcgi', null, InputOption::VALUE_REQUIRED, 'Work in the pool of PHP-FPM at this socket, as its user');
        $dsn = 'Another cache, or all strings of a Redis or memcached server, such as redis://127.0.0.1?serializer=php';
        InspectCommand::addCommon($this, $dsn, InspectCommand::ENGINE);
        $this->setHelp('With --json: "file", "entries", "bytes" (of the file), "skipped" (for each reason "entries" and "why").');
    }

    protected function carry(string $file, InputInterface $input, Steps $steps): array
    {
        $prefix = self::text($input->getOption('prefix'));
        $dsn = self::text($input->getOption('dsn'));
        if ($dsn !== InspectCommand::ENGINE) {
            return self::export($dsn, $file, $prefix);
        }
        $progress = static fn(int $done, int $all) => $steps->progress($done, $all, null, 'entries');
        ['entries' => $entries, 'skipped' => $skipped, 'bytes' => $bytes] = Dump::write($file, $prefix, $progress);
        $reasons = $skipped === 0 ? [] : ['objects whose classes are not here, or not allowed' => $skipped];

        return [
            [self::written($file, $entries, $bytes), ...self::skipped($skipped)],
            self::data($file, $entries, $bytes, $reasons),
        ];
    }

    /**
     * @return array{list<string>, array<string, mixed>}
     * @throws CacheException
     */
    private static function export(#[\SensitiveParameter] string $dsn, string $file, string $prefix): array
    {
        $cache = Cache::open($dsn);
        $cache->reach();
        $server = Servers::at($dsn);
        $writer = new DumpWriter($file, ['time' => microtime(true), 'php' => \PHP_VERSION]);
        $exported = new Exported($writer);
        $server !== null ? $exported->ofServer($server, $prefix) : $exported->ofCache($cache, $dsn, $prefix);
        if ($exported->entries === 0) {
            throw new DumpFailed("Nothing was found to dump, so $file stays as it was. " . self::reasons($exported->skipped));
        }
        $bytes = $writer->finish();
        $lines = [self::written($file, $exported->entries, $bytes)];
        foreach ($exported->skipped as $why => $entries) {
            $lines[] = \sprintf('%s skipped %s.', number_format($entries), Text::plain($why));
        }

        return [$lines, self::data($file, $exported->entries, $bytes, $exported->skipped)];
    }

    /** @param array<string, int> $skipped */
    private static function reasons(array $skipped): string
    {
        $why = implode(', ', array_map(Text::plain(...), array_keys($skipped)));

        return $why === '' ? 'Is this the right DSN and prefix?' : "All were skipped: $why";
    }

    private static function written(string $file, int $entries, int $bytes): string
    {
        return \sprintf('%s: %s, %.1f MiB.', $file, Text::entries($entries), $bytes / (1 << 20));
    }

    /**
     * @param array<string, int> $skipped
     * @return array<string, mixed>
     */
    private static function data(string $file, int $entries, int $bytes, array $skipped): array
    {
        $reasons = [];
        foreach ($skipped as $why => $number) {
            $reasons[] = ['entries' => $number, 'why' => Text::utf8($why)];
        }

        return ['file' => Text::utf8($file), 'entries' => $entries, 'bytes' => $bytes, 'skipped' => $reasons];
    }
}
