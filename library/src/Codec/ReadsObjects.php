<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Marks a class that makes objects of stored bytes by itself: there a class that is missing is MissingClass's matter. */
interface ReadsObjects {}
