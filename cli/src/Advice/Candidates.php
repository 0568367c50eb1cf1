<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\Kind;
use Larder\Cli\Report\Setup;

/**
 * The setups that a program could use. They have default settings, are not legacy stores, and other processes or other
 * machines can read their values.
 */
final class Candidates
{
    /** @var list<string> setups with default settings that processes share */
    public readonly array $onOneMachine;

    /** @var list<string> setups that other machines reach: by a measured network, or else by TCP */
    public readonly array $onSeveral;

    /** @var list<string> the setups of $onSeveral with local copies on each machine */
    public readonly array $tiers;

    /** @var list<string> the setups for the number of machines that the profile names */
    public readonly array $all;

    /** @param array<string, Setup> $setups by name */
    public function __construct(array $setups, ?int $machines)
    {
        $usable = array_filter(
            $setups,
            static fn(Setup $setup): bool => Kind::of($setup->store) !== Kind::Process && !$setup->isLegacy(),
        );
        $shared = array_filter($usable, static fn(Setup $setup): bool => $setup->isDefault());
        $ways = array_map(
            static fn(Setup $setup): ?string => $setup->connection,
            array_filter($shared, static fn(Setup $setup): bool => Kind::of($setup->store) === Kind::Server),
        );
        $way = \in_array('network', $ways, true) ? 'network' : 'tcp';
        $this->onOneMachine = self::names($shared);
        $this->onSeveral = self::names(array_filter(
            $ways,
            static fn(?string $connection): bool => $connection === $way,
        ));
        $this->tiers = self::names(array_filter(
            $usable,
            static fn(Setup $setup): bool => $setup->tier() !== '' && $setup->connection === $way,
        ));
        $this->all = $machines > 1 ? $this->onSeveral : $this->onOneMachine;
    }

    /**
     * @param array<string, mixed> $setups
     * @return list<string>
     */
    private static function names(array $setups): array
    {
        return array_map(strval(...), array_keys($setups)); // PHP turns a key like "5" into an int
    }
}
