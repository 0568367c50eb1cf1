<?php

declare(strict_types=1);

namespace Larder\Event;

/** An event in a cache: Hit, Miss, Computed, ComputationFailed or Failed. Later versions may have more. */
interface Event {}
