<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\Serializer\Attribute\Groups;
use Symfony\Component\Serializer\Attribute\SerializedName;
use Symfony\Component\Validator\Constraints as Assert;

final class Article
{
    public function __construct(
        /** @Column(type="integer") */
        #[Groups(['list', 'detail'])]
        #[Assert\Positive]
        public readonly int $id,
        /** @Column(length=80) */
        #[Groups(['list', 'detail'])]
        #[Assert\Length(min: 3, max: 80)]
        public readonly string $name,
        /** @Column(type="text") */
        #[Groups(['detail'])]
        #[Assert\NotBlank]
        public readonly string $description,
        /** @Column(type="integer") */
        #[Groups(['list', 'detail'])]
        #[SerializedName('price_in_cents')]
        #[Assert\Range(min: 1, max: 100_000)]
        public readonly int $price,
        /** @Column(type="many_to_one") */
        #[Groups(['list', 'detail'])]
        #[Assert\Valid]
        public readonly Maker $maker,
        /**
         * @var list<string>
         * @Column(type="json", nullable=true)
         */
        #[Groups(['detail'])]
        #[Assert\Count(max: 5)]
        public readonly array $labels,
    ) {}
}
