<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * The stores that --stores names, for suites with stores of their own. It also records the stores that it leaves out.
 */
final class StoreFilter
{
    /** Pages that are always measured, because others are compared with them. */
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
     * @return list<string> the stores that are measured
     */
    public function of(array $stores): array
    {
        return array_values(array_filter($stores, $this->has(...)));
    }

    /** @return list<string> stores that suites have asked for and that are not measured */
    public function leftOut(): array
    {
        return array_keys($this->leftOut);
    }
}
