<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/** The stores that --stores names, for suites that have stores of their own; and which of these it leaves out. */
final class StoreFilter
{
    /** Pages that others are compared with. */
    private const REFERENCES = ['empty', 'literal'];

    /** @var array<string, true> */
    private array $leftOut = [];

    /** @param list<string>|null $names null: all */
    public function __construct(private readonly ?array $names = null) {}

    /** @param string $store a name of the catalog, or a variant of one: "file (one handle)" */
    public function has(string $store): bool
    {
        $name = explode(' (', $store)[0];
        $has = $this->names === null
            || \in_array($name, self::REFERENCES, true)
            || \in_array($name, $this->names, true);
        if (!$has) {
            $this->leftOut[$store] = true;
        }

        return $has;
    }

    /**
     * @param list<string> $stores
     * @return list<string> those of them that are measured
     */
    public function of(array $stores): array
    {
        return array_values(array_filter($stores, $this->has(...)));
    }

    /** @return list<string> what the suites asked for in vain, so far */
    public function leftOut(): array
    {
        return array_keys($this->leftOut);
    }
}
