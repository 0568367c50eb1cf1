<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * Facts that may spoil a run, as far as the system shows them: the processor's clock, other processes, the limits of a
 * container, loaded extensions. Create it before the run, and ask it after the run. Facts that make figures worthless
 * are in Machine::obstacles().
 */
final class Preflight
{
    /** Extensions that watch PHP code and slow it down. */
    private const WATCHERS = [
        'apm', 'blackfire', 'datadog-profiling', 'ddappsec', 'ddtrace', 'elastic_apm', 'excimer', 'memprof', 'newrelic',
        'opentelemetry', 'pcov',
        'scoutapm', 'spx', 'tideways', 'tideways_xhprof', 'uopz', 'vld', 'xhprof',
    ];

    /** The first version of APCu that defragments its memory, and does not wipe it for a large entry. */
    private const APCU = '5.1.25';

    /** Largest shares of a core's time that the host, or other processes, may take without a warning. */
    private const STEAL = 0.01;
    private const OTHERS = 0.1;

    /** @var array{total: float, idle: float, steal: float, own: float} seconds of a core */
    private readonly array $before;

    /** @var list<string> */
    private readonly array $atStart;

    /**
     * @param int $cores that this process may use
     * @param string $root before /proc and /sys
     */
    public function __construct(private readonly int $cores, private readonly string $root = '')
    {
        $this->before = $this->times();
        $this->atStart = $this->machine();
    }

    /**
     * @param array<string, string> $extensions of the measuring processes: versions by name
     * @param bool $opcache true if the measuring processes have opcache
     * @param bool $isFilled true if rows are of stores whose memory was full
     * @return list<string> a sentence each, with a remedy if there is one
     */
    public function spoilers(array $extensions, bool $opcache, bool $isFilled = false): array
    {
        return [
            ...$this->php($extensions, $opcache, $isFilled),
            ...$this->atStart,
            ...$this->duringTheRun($this->times()),
        ];
    }

    /**
     * @param array<string, string> $extensions
     * @return list<string>
     */
    private function php(array $extensions, bool $opcache, bool $isFilled): array
    {
        $found = [];
        foreach (array_intersect(self::WATCHERS, array_keys($extensions)) as $watcher) {
            $found[] = \sprintf(
                'The extension %1$s is loaded, which slows down PHP code but hardly the stores. '
                    . 'To run without it: phpdismod -s cli %1$s',
                $watcher,
            );
        }
        if (!$opcache) {
            $found[] = 'opcache is not loaded: PHP code is not optimized, '
                . 'and files of PHP code are compiled at each get. To add it: apt-get install php-opcache';
        }
        $apcu = $extensions['apcu'] ?? null;
        if ($isFilled && $apcu !== null && version_compare($apcu, self::APCU, '<')) {
            $found[] = \sprintf(
                'APCu %s is older than %s: that one keeps more when its memory is full',
                $apcu,
                self::APCU,
            );
        }

        return $found;
    }

    /** @return list<string> */
    private function machine(): array
    {
        $found = [];
        if (
            $this->text('/sys/devices/system/cpu/cpufreq/boost') === '1'
            || $this->text('/sys/devices/system/cpu/intel_pstate/no_turbo') === '0'
        ) {
            $found[] = 'Turbo boost is on: the processor is faster while it is cool. '
                . 'To switch it off: echo 0 > /sys/devices/system/cpu/cpufreq/boost, '
                . 'or echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo';
        }
        $governors = array_unique(array_map(
            fn(string $file): string => $this->text(substr($file, \strlen($this->root))),
            $this->files('/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor'),
        ));
        $slow = array_diff($governors, ['performance', '']);
        if ($slow !== []) {
            $found[] = \sprintf(
                'The CPU governor is %s: the clock follows the load. '
                    . 'To keep it high: cpupower frequency-set -g performance',
                implode(' and ', $slow),
            );
        }
        if ($this->cores < 2) {
            $found[] = 'There is one core: everything else on this machine takes its time from the run';
        }
        $limit = $this->limit();
        if ($limit !== null && $limit < $this->cores) {
            $found[] = \sprintf(
                'The container may use %.2g of %d cores, and is paused when it has used up its share. '
                    . 'To lift the limit: docker run without --cpus',
                $limit,
                $this->cores,
            );
        }
        $swap = $this->kilobytes('SwapTotal') - $this->kilobytes('SwapFree');
        if ($swap > 16 * 1024) {
            $found[] = \sprintf(
                '%s MB are swapped out: memory that a store uses may be on a disk. '
                    . 'To get it back: swapoff -a && swapon -a',
                number_format($swap / 1024),
            );
        }
        foreach ($this->files('/sys/class/power_supply/*/status') as $file) {
            if ($this->text(substr($file, \strlen($this->root))) === 'Discharging') {
                $found[] = 'The machine runs on its battery, and may slow down. Connect it to power';
            }
        }
        $load = (float) $this->text('/proc/loadavg');
        if ($load > max(0.5, $this->cores / 4)) {
            $found[] = \sprintf(
                'Load average %.1f on %d core%s before the run: the machine was busy. To see with what: top',
                $load,
                $this->cores,
                $this->cores === 1 ? '' : 's',
            );
        }

        return $found;
    }

    /**
     * @param array{total: float, idle: float, steal: float, own: float} $after
     * @return list<string>
     */
    private function duringTheRun(array $after): array
    {
        $spent = [];
        foreach ($after as $name => $seconds) {
            $spent[$name] = $seconds - $this->before[$name];
        }
        if ($spent['total'] <= 0) {
            return [];
        }
        $found = [];
        if ($spent['steal'] / $spent['total'] > self::STEAL) {
            $found[] = \sprintf(
                'Other virtual machines took %.0f %% of the processor (steal time). Measure on a host of your own',
                100 * $spent['steal'] / $spent['total'],
            );
        }
        $cores = max(1, \count($this->files('/sys/devices/system/cpu/cpu[0-9]*')));
        $others = ($spent['total'] - $spent['idle'] - $spent['steal'] - $spent['own']) / ($spent['total'] / $cores);
        if ($others > self::OTHERS) {
            $found[] = \sprintf('Other processes took %.0f %% of a core. To see which: top', 100 * $others);
        }

        return $found;
    }

    /**
     * @return array{total: float, idle: float, steal: float, own: float} since the machine started; own: of this
     *         process and of all its children that it has waited for
     */
    private function times(): array
    {
        // user nice system idle iowait irq softirq steal; guest time is part of user time
        preg_match('/^cpu +([\d ]+)$/m', $this->text('/proc/stat'), $match);
        $ticks = \array_slice(array_map(intval(...), explode(' ', $match[1] ?? '')), 0, 8);
        $own = 0.0;
        foreach ([0, 1] as $children) {
            /** @var array<string, int> $usage */
            $usage = (array) getrusage($children);
            foreach (['ru_utime', 'ru_stime'] as $time) {
                $own += ($usage["$time.tv_sec"] ?? 0) + ($usage["$time.tv_usec"] ?? 0) / 1e6;
            }
        }

        return [
            'total' => array_sum($ticks) / 100,
            'idle' => (($ticks[3] ?? 0) + ($ticks[4] ?? 0)) / 100,
            'steal' => ($ticks[7] ?? 0) / 100,
            'own' => $own,
        ];
    }

    /** @return float|null cores that the control group may use; null if there is no limit */
    private function limit(): ?float
    {
        $limits = [];
        // A container sees its own group at the top. Elsewhere, /proc names the path of the group.
        preg_match('/^0::(\S+)$/m', $this->text('/proc/self/cgroup'), $match);
        foreach (['', ...(isset($match[1]) ? [rtrim($match[1], '/')] : [])] as $group) {
            [$quota, $period] = [...explode(' ', $this->text("/sys/fs/cgroup$group/cpu.max")), ''];
            $limits[] = [$quota, $period];
        }
        $limits[] = [
            $this->text('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
            $this->text('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
        ];
        $cores = [];
        foreach ($limits as [$quota, $period]) {
            if ((int) $quota > 0 && (int) $period > 0) {
                $cores[] = (int) $quota / (int) $period;
            }
        }

        return $cores === [] ? null : min($cores);
    }

    private function kilobytes(string $name): int
    {
        return preg_match("/^$name: +(\\d+) kB$/m", $this->text('/proc/meminfo'), $match) === 1 ? (int) $match[1] : 0;
    }

    private function text(string $file): string
    {
        return trim((string) @file_get_contents($this->root . $file));
    }

    /** @return list<string> */
    private function files(string $pattern): array
    {
        $files = glob($this->root . $pattern);

        return $files === false ? [] : $files;
    }
}
