<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** A node of a graph of objects. */
final class Node
{
    public ?self $left = null;

    public ?self $right = null;

    public function __construct(public int $number, public readonly ?self $parent)
    {
        if ($parent !== null) {
            $parent->left === null ? $parent->left = $this : $parent->right = $this;
        }
    }
}
