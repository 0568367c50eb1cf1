<?php

declare(strict_types=1);

namespace Larder\Cli\Doctor;

use Larder\Internal\Driver\Remark;

/** The result of trying to use a store. */
final class Finding
{
    /**
     * @param string $store name for the user: "redis"
     * @param bool|null $isUsable null if only a DSN with a login can show it
     * @param string $what where it was found and who shares it, or what is missing
     * @param string $how the command or setting that makes it usable, or better; empty when there is nothing to do
     * @param list<Remark> $remarks about its server
     */
    public function __construct(
        public readonly string $store,
        public readonly ?bool $isUsable,
        public readonly string $what,
        public readonly string $how = '',
        public readonly array $remarks = [],
    ) {}
}
