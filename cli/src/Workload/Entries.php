<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\NotMeasured;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\FileSystem;

/** Gets and sets in stores that already have many entries, which can slow down file systems. */
final class Entries implements Suite
{
    public const STORES = ['file', 'sqlite'];

    /** Bytes that an entry in a file of its own may take. */
    private const BYTES = 8_192;

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = self::STORES,
        private readonly int $entries = 300_000,
        private readonly int $milliseconds = 100,
    ) {}

    public static function subject(string $store, ?string $connection, int $entries, string $operation): Subject
    {
        return new Subject('pressure: many entries', $store, $connection, '0.1k', 100, $operation, settings: [
            'entries' => number_format($entries),
        ]);
    }

    public function blocks(\Closure $notMeasured): array
    {
        $catalog = new Catalog($this->locations);
        $connection = $this->connection();
        $processes = max(1, \count(CpuAffinity::allowed()));
        $blocks = [];
        foreach ($this->stores as $store) {
            foreach ($catalog->subjects($store) as $target) {
                if ($target->settings !== [] || $target->connection !== ($connection ?? 'disk')) {
                    continue;
                }
                if ($target instanceof NotMeasured || $connection === null) {
                    $notMeasured(
                        self::subject($store, $target->connection, $this->entries, 'get'),
                        $target instanceof NotMeasured
                            ? $target->reason
                            : \sprintf(
                                '%s has less than %.1f GB free. To use another disk: TMPDIR=/path',
                                FileSystem::disk(),
                                $this->room() / 1e9,
                            ),
                    );
                    continue;
                }
                $task = new EntriesTask(
                    $store,
                    $connection,
                    Stores::elsewhere($target, 'entries', $this->locations),
                    $this->entries,
                    $processes,
                    $this->milliseconds,
                );
                $blocks[] = new TaskBlock($task, $target->php);
            }
        }

        return $blocks;
    }

    /** Memory if there is enough: a disk may need minutes to remove so many files. Null if neither has room. */
    private function connection(): ?string
    {
        $available = preg_match('/^MemAvailable:\s+(\d+) kB$/m', (string) @file_get_contents('/proc/meminfo'), $match)
            === 1
            ? 1024 * (int) $match[1]
            : 0;

        try {
            if (min($available, disk_free_space(FileSystem::tmpfs())) > $this->room()) {
                return 'tmpfs';
            }
        } catch (\RuntimeException) {
            // The disk may have room.
        }

        return disk_free_space(FileSystem::disk()) > $this->room() ? 'disk' : null;
    }

    private function room(): int
    {
        return 2 * $this->entries * self::BYTES;
    }
}
