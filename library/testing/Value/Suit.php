<?php

declare(strict_types=1);

namespace Larder\Testing\Value;

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}
