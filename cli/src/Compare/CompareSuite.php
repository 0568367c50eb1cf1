<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;

/** The suite of a plain `larder compare`, without a study or a workload: get and set of every store. */
final class CompareSuite implements Suite, Annotator
{
    private readonly PublishedCounterpart $published;

    /** @param non-empty-list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores,
        private readonly Plan $plan,
        private readonly bool $withServers,
    ) {
        $this->published = new PublishedCounterpart(Published::load());
    }

    public function blocks(\Closure $notMeasured): array
    {
        $catalog = new Catalog($this->locations);
        $blocks = [];
        foreach ($this->stores as $store) {
            $subjects = !$this->withServers && Catalog::needsServer($store)
                ? [new NotMeasured($store, null, 'left out by --no-servers')]
                : $catalog->subjects($store);
            foreach ($subjects as $subject) {
                if ($subject instanceof Target) {
                    $blocks[] = new StoreBlock($subject, $this->plan);
                    continue;
                }
                foreach ($this->plan->values as $value) {
                    foreach ($this->plan->operations as $operation) {
                        $notMeasured(
                            new Subject(
                                'compare',
                                $subject->store,
                                $subject->connection,
                                $value->name,
                                $value->bytes,
                                $operation->value,
                                settings: $subject->settings,
                            ),
                            $subject->reason,
                        );
                    }
                }
            }
        }

        return $blocks;
    }

    public function published(Subject $subject): ?PublishedFigure
    {
        return $subject->table === 'compare' ? $this->published->of($subject) : null;
    }

    public function notes(Subject $subject): array
    {
        return $subject->table === 'compare' ? Artefacts::of($subject) : [];
    }

    public function historic(): array
    {
        return [];
    }
}
