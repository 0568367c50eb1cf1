<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failure;

/**
 * Passes the reason from where bytes are read to where it is counted; it never leaves a codec.
 *
 * @internal
 */
final class Unreadable extends \Exception
{
    public function __construct(public readonly Failure $failure)
    {
        parent::__construct($failure->value);
    }
}
