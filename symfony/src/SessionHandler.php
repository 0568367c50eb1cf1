<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * PHP's own handler of the extension larder, whatever session.save_handler says: sessions in a segment of their own, in
 * which nothing unexpired is evicted.
 */
final class SessionHandler extends \SessionHandler
{
    public function __construct()
    {
        if (!\extension_loaded('larder')) {
            throw new \RuntimeException('Sessions cannot be in larder: because the PHP extension larder is not loaded. '
                . 'Add it (sudo make install in a clone of Larder), or name another store');
        }
        ini_set('session.save_handler', 'larder');
    }
}
