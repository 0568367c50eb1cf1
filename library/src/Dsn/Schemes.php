<?php

declare(strict_types=1);

namespace Larder\Dsn;

/** The schemes that are known to a parser. */
interface Schemes
{
    /** @return Scheme|null null if there is none of this name */
    public function scheme(string $name): ?Scheme;

    /** @return list<Scheme> in the order in which messages list them */
    public function schemes(): array;
}
