<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\Serializer\Attribute\Groups;
use Symfony\Component\Validator\Constraints as Assert;

final class Maker
{
    public function __construct(
        /** @Column(length=100) */
        #[Groups(['list', 'detail'])]
        #[Assert\NotBlank]
        public readonly string $name,
        /** @Column(length=2) */
        #[Groups(['detail'])]
        #[Assert\Regex('/^[A-Z]{2}$/')]
        public readonly string $country,
    ) {}
}
