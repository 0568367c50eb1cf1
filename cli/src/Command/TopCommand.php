<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\Prefixes;
use Larder\Cli\Inspect\Prometheus;
use Larder\Cli\Inspect\Text;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Terminal as Screen;

/**
 * `larder top`: hits, memory, evictions and the largest prefixes of the engine, again every two seconds until Ctrl-C;
 * once with --once, --json and --prometheus, and where the output is no terminal.
 */
#[AsCommand('top', 'Watch hits, memory and evictions (--once)')]
final class TopCommand extends InspectCommand
{
    /** Between two screens; of --once, before its screen. */
    private const SECONDS = 2.0;
    private const SECONDS_ONCE = 1.0;
    private const WIDTH = 79;
    private const HOLDERS = 3;
    /** Lines of a screen that show no prefix. */
    private const OTHER_LINES = 21;
    private const CLEAR = "\e[H\e[J";

    protected function configure(): void
    {
        parent::configure();
        $this->addOption('once', null, InputOption::VALUE_NONE, 'Show it once, after a second');
        $this->addOption('prometheus', null, InputOption::VALUE_NONE, 'Print the figures once, in Prometheus\' text format');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        if ($cache !== null) {
            return $this->fail($output, 'Only the engine counts what all processes do');
        }
        if ($input->getOption('prometheus') === true) {
            $output->write(Prometheus::text(), false, OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }
        $isJson = $input->getOption('json') === true;
        $isOnce = $isJson || $input->getOption('once') === true || !stream_isatty(\STDOUT);
        $prefixes = $isOnce ? 10 : max(1, (new Screen())->getHeight() - self::OTHER_LINES);
        $before = Counters::read();
        while (true) {
            usleep((int) (1e6 * ($isOnce ? self::SECONDS_ONCE : self::SECONDS)));
            $now = Counters::read();
            if ($isJson) {
                $output->writeln(Text::json(self::data($before, $now)), OutputInterface::OUTPUT_RAW);
            } else {
                $end = $isOnce ? [] : ['', \sprintf('Ctrl-C ends.%s', str_pad(\sprintf('every %.0f s', self::SECONDS), self::WIDTH - 12, ' ', \STR_PAD_LEFT))];
                $output->write($isOnce ? '' : self::CLEAR, false, OutputInterface::OUTPUT_RAW);
                $output->writeln([...self::screen($before, $now, $prefixes), ...$end], OutputInterface::OUTPUT_RAW);
            }
            if ($isOnce) {
                return self::SUCCESS;
            }
            $before = $now;
        }
    }

    protected function unavailable(InputInterface $input, OutputInterface $output): void
    {
        if ($input->getOption('prometheus') === true) {
            $output->write(Prometheus::text(), false, OutputInterface::OUTPUT_RAW);
        }
    }

    /** @return list<string> */
    private static function screen(Counters $before, Counters $now, int $number): array
    {
        $data = self::data($before, $now);
        $rate = $data['per_second'];
        $within = $now->evictedWithin();
        [$groups] = Prefixes::all();
        $verdict = Health::verdict($now, static fn(): array => $groups);
        $title = \sprintf('%s, PHP %d.%d', self::where(), \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
        $lines = [
            $title . str_pad(date('j M, H:i:s'), max(1, self::WIDTH - Helper::width($title)), ' ', \STR_PAD_LEFT),
            ...($verdict === null ? [] : explode("\n", wordwrap("$verdict->word. $verdict->sentence", self::WIDTH))),
            '',
            \sprintf(
                'Hits     %s, %s since the cache is there',
                $data['hit_rate'] === null ? 'nothing was asked for' : \sprintf('%.1f %%', 100 * $data['hit_rate']),
                $data['hit_rate_ever'] === null ? 'nothing' : \sprintf('%.1f %%', 100 * $data['hit_rate_ever']),
            ),
            \sprintf(
                'Rates    %s gets/s, %s stores/s, %s evictions/s',
                ...array_map(static fn(float $figure): string => number_format($figure), array_values($rate)),
            ),
            \sprintf(
                'Memory   %s, %s; %s entries; readers hold %s',
                Helper::formatMemory($data['size']),
                $data['free'] < 0.01 ? 'full' : \sprintf('%.0f %% free', 100 * $data['free']),
                number_format($data['entries']),
                Helper::formatMemory($data['held']),
            ),
            $now->evicted === 0
                ? 'Evicted  nothing'
                : \sprintf('Evicted  %s', number_format($now->evicted)) . ($now->evictedRead() === null ? '' : \sprintf(
                    '; about %.0f %% had been read; half was stored or moved %s before',
                    100 * $now->evictedRead(),
                    $within === null ? 'over 4 h' : 'less than ' . Text::time($within),
                )),
            '',
            Prefixes::head(),
        ];
        $all = array_sum(array_column($groups, 1));
        foreach (\array_slice($groups, 0, $number, true) as $prefix => $group) {
            $lines[] = Prefixes::row((string) $prefix, $group, $all);
        }
        foreach (\array_slice($data['holders'], 0, self::HOLDERS) as $i => $holder) {
            array_push($lines, ...($i === 0 ? ['', '      PID   HOLDS MEMORY   PROCESS'] : []));
            $memory = Helper::formatMemory($holder['bytes']);
            $lines[] = \sprintf('%9d   %12s   %s', $holder['pid'], $memory, Text::key($holder['command'], 45));
        }

        return $lines;
    }

    /**
     * @return array{
     *     segment: string,
     *     hit_rate: float|null,
     *     hit_rate_ever: float|null,
     *     per_second: array{gets: float, stores: float, evictions: float},
     *     size: int,
     *     free: float,
     *     entries: int,
     *     held: int,
     *     oldest: float,
     *     evicted_read: float|null,
     *     evicted_within: int|null,
     *     holders: list<array{pid: int, bytes: int, command: string}>,
     * }
     */
    private static function data(Counters $before, Counters $now): array
    {
        $info = larder_info();
        /** @var array{
         *     segment: string, size: int, entries: int, oldest: float,
         *     memory: array{page_size: int, pages: int, free: int},
         *     pins: array{pages: int},
         *     processes: array{holders: list<array{pid: int, pages: int, mine: bool}>},
         * } $info
         */
        $seconds = max(1e-3, $now->time - $before->time);
        $hits = $now->hits - $before->hits;
        $gets = $hits + $now->misses - $before->misses;
        $ever = $now->hits + $now->misses;
        $page = $info['memory']['page_size'];
        $holders = [];
        foreach ($info['processes']['holders'] as ['pid' => $pid, 'pages' => $pages, 'mine' => $isMine]) {
            if (!$isMine) {
                $holders[] = ['pid' => $pid, 'bytes' => $pages * $page, 'command' => self::command($pid)];
            }
        }

        return [
            'segment' => $info['segment'],
            'hit_rate' => $gets === 0 ? null : $hits / $gets,
            'hit_rate_ever' => $ever === 0 ? null : $now->hits / $ever,
            'per_second' => [
                'gets' => $gets / $seconds,
                'stores' => ($now->stores - $before->stores) / $seconds,
                'evictions' => ($now->evicted - $before->evicted) / $seconds,
            ],
            'size' => $info['size'],
            'free' => $info['memory']['free'] / max(1, $info['memory']['pages']),
            'entries' => $info['entries'],
            'held' => $info['pins']['pages'] * $page,
            'oldest' => $info['oldest'],
            'evicted_read' => $now->evictedRead(),
            'evicted_within' => $now->evictedWithin(),
            'holders' => $holders,
        ];
    }

    /** Another container's process has another number here. */
    private static function command(int $pid): string
    {
        $words = @file_get_contents("/proc/$pid/cmdline");

        return $words === false || $words === '' ? '?' : trim(Text::utf8(str_replace("\0", ' ', $words)));
    }
}
