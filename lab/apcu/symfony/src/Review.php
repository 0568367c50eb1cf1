<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\Serializer\Attribute\Groups;
use Symfony\Component\Validator\Constraints as Assert;

final class Review
{
    public function __construct(
        #[Groups(['detail'])]
        #[Assert\NotBlank]
        #[Assert\Length(max: 40)]
        public readonly string $author,
        #[Assert\Email]
        public readonly string $address,
        #[Groups(['detail'])]
        #[Assert\Range(min: 1, max: 5)]
        public readonly int $stars,
        #[Groups(['detail'])]
        #[Assert\Length(max: 1000)]
        public readonly string $text = '',
    ) {}
}
