<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\System\FileSystem;

/** The measurements of a study that used processes, repeated. For those in web requests, see Larder\Cli\Http. */
abstract class Study implements Suite, Annotator
{
    private const NOTES = [
        'file (one handle)' => 'through a handle that stays open: no other process can read it',
        'memcache' => 'by Larder\'s own client; the studies used the extension memcache',
        'mysql-memory' => 'by PDO; the study used mysqli',
        'mysql-myisam' => 'by PDO; the study used mysqli',
        'mysql' => 'InnoDB, by PDO; the study measured MEMORY and MyISAM by mysqli',
    ];

    protected readonly Targets $targets;
    private readonly PublishedRows $published;

    /** @var list<ProcessBlock> */
    private array $blocks = [];

    public function __construct(
        protected readonly StoreLocations $locations,
        protected readonly StoreFilter $only = new StoreFilter(),
    ) {
        $this->targets = new Targets($locations);
        $this->published = new PublishedRows(Published::load());
    }

    /** @return list<string> the tables that it measures */
    abstract public static function tables(): array;

    abstract protected function add(Blocks $blocks): void;

    /**
     * A note for a figure that reached its time limit before doing all its operations; empty if the study gave no
     * number.
     */
    protected function whenCutShort(): string
    {
        return '';
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = new Blocks($notMeasured, $this->only);
        $this->add($blocks);

        return $this->blocks = $blocks->all();
    }

    public function published(Subject $subject): ?PublishedFigure
    {
        return $this->published->first($subject);
    }

    public function notes(Subject $subject): array
    {
        if (!\in_array($subject->table, static::tables(), true)) {
            return [];
        }
        $notes = $this->published->notes($subject);
        if (isset(self::NOTES[$subject->store])) {
            $notes[] = self::NOTES[$subject->store];
        }
        foreach (['tmpfs' => FileSystem::tmpfs(...), 'disk' => FileSystem::disk(...)] as $connection => $directory) {
            if ($subject->connection === $connection) {
                $notes[] = 'files on ' . FileSystem::type($directory());
            }
        }
        foreach ($this->blocks as $block) {
            if ($block->isCutShort($subject) && $this->whenCutShort() !== '') {
                $notes[] = $this->whenCutShort();
            }
        }

        return $notes;
    }

    public function historic(): array
    {
        return $this->published->historic(static::tables());
    }
}
