<?php

declare(strict_types=1);

/* A list of 20 products. The pages of lab/apcu/symfony and lab/apcu/laravel cache 60 such lists. */

return static fn(int $list): array => array_map(static fn(int $product): array => [
    'id' => $product,
    'name' => "Product $product",
    'maker' => 'Maker ' . $product % 7,
    'price' => $product * 7919 % 10_000 + 1,
    'url' => "/products/$product",
    'in_stock' => $product % 5 !== 0,
], range(20 * $list + 1, 20 * $list + 20));
