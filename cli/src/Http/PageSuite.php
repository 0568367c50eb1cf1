<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\StoreFilter;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Study\PublishedRows;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\ServerFailed;

/** The measurements of a study that used web requests, repeated. For those in processes, see Larder\Cli\Study. */
abstract class PageSuite implements Suite, Annotator
{
    private readonly PublishedRows $publishedRows;

    /** @var array<string, list<string>> by Subject::key() */
    private array $notes = [];

    public function __construct(
        protected readonly StoreLocations $locations,
        protected readonly StoreFilter $only = new StoreFilter(),
    ) {
        $this->publishedRows = new PublishedRows(Published::load());
    }

    /** @return list<string> its tables of the study */
    abstract public static function tables(): array;

    public function published(Subject $subject): ?PublishedFigure
    {
        return $this->publishedRows->first($subject);
    }

    public function notes(Subject $subject): array
    {
        $notes = $this->notes[$subject->key()] ?? null;
        if ($notes === null) {
            return []; // a row of another suite
        }
        $files = $subject->connection === 'disk' ? ['files on ' . FileSystem::type(FileSystem::disk())] : [];

        return [...$this->publishedRows->notes($subject), ...$files, ...$notes];
    }

    public function historic(): array
    {
        return $this->publishedRows->historic(static::tables());
    }

    /** @param string ...$notes for the rows of the block */
    protected function note(Block $block, string ...$notes): void
    {
        foreach ($block->subjects() as $subject) {
            $this->notes[$subject->key()] = [...$this->notes[$subject->key()] ?? [], ...array_values($notes)];
        }
    }

    /**
     * A site that ends with the run.
     *
     * @param \Closure(): Site $start
     * @throws Unavailable
     */
    protected function site(\Closure $start): Site
    {
        try {
            $site = $start();
        } catch (ServerFailed|HttpFailed $failed) {
            throw new Unavailable($failed->getMessage(), 0, $failed);
        }
        $this->locations->endWith($site->stop(...));

        return $site;
    }

    /** @throws Unavailable */
    protected static function add(Page $page, Site $site): void
    {
        try {
            $site->add($page);
        } catch (ServerFailed|HttpFailed $failed) {
            throw new Unavailable($failed->getMessage(), 0, $failed);
        }
    }
}
