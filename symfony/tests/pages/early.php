<?php

declare(strict_types=1);

// What EarlyUnderFpmTest asks for: ?dsn=, and value= that the callback returns. Each value is due at once.

use Larder\Symfony\Adapter;
use Symfony\Contracts\Cache\ItemInterface;

require __DIR__ . '/../../../vendor/autoload.php';

$ask = static fn(string $name): string => \is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
$pool = new Adapter($ask('dsn'), 'early');
$make = static function (ItemInterface $item) use ($ask): string {
    $item->expiresAfter(60);
    usleep(10_000);

    return $ask('value');
};
echo $pool->get('key', $make, 1e9);
