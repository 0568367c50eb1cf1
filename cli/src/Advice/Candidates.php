<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Compare\Kind;
use Larder\Cli\Report\Setup;

/** The setups that a program could use: default settings, and values that other processes, or other machines, can read. */
final class Candidates
{
    public function __construct(private readonly Costs $costs, private readonly ?int $machines) {}

    /** @return list<string> setups with default settings that processes share */
    public function onOneMachine(): array
    {
        return array_keys(array_filter($this->costs->setups(), static fn(Setup $setup): bool => $setup->isDefault() && Kind::of($setup->store) !== Kind::Process));
    }

    /** @return list<string> those that other machines reach: by a measured network, or else by TCP */
    public function onSeveral(): array
    {
        $setups = array_filter($this->costs->setups(), static fn(Setup $setup): bool => $setup->isDefault() && Kind::of($setup->store) === Kind::Server);
        $ways = array_map(static fn(Setup $setup): ?string => $setup->connection, $setups);
        $way = \in_array('network', $ways, true) ? 'network' : 'tcp';

        return array_keys(array_filter($ways, static fn(?string $connection): bool => $connection === $way));
    }

    /** @return list<string> those that the profile asks about */
    public function all(): array
    {
        return $this->machines > 1 ? $this->onSeveral() : $this->onOneMachine();
    }
}
