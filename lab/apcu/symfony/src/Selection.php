<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\Validator\Constraints as Assert;

/** The parameters of a query. */
final class Selection
{
    public function __construct(
        #[Assert\Range(min: 1, max: 100)]
        public readonly int $page = 1,
        #[Assert\Choice(['name', 'price', 'id'])]
        public readonly string $by = 'id',
    ) {}
}
