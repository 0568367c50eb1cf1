<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** The figure that a study published for the same subject. */
final class PublishedFigure
{
    /**
     * @param float $figure in the unit of the row's subject
     * @param string $engine name of the engine in the study: "apc" for apcu
     * @param string|null $environment the study's machine and versions
     */
    public function __construct(
        public readonly float $figure,
        public readonly string $study,
        public readonly string $engine,
        public readonly ?string $environment = null,
    ) {}

    /** @return array{figure: float, study: string, engine: string, environment: ?string} */
    public function toArray(): array
    {
        return [
            'figure' => $this->figure,
            'study' => $this->study,
            'engine' => $this->engine,
            'environment' => $this->environment,
        ];
    }
}
