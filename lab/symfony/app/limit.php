<?php

/*
 * Takes up to 100 tokens of a limiter that gives 200 in all, one by one, and prints how many it got.
 */

declare(strict_types=1);

use App\Kernel;
use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\CacheStorage;

require __DIR__ . '/../../../var/symfony-app/vendor/autoload.php';

$kernel = new Kernel('prod', false);
$kernel->boot();
$container = $kernel->getContainer();
$options = ['id' => 'login', 'policy' => 'fixed_window', 'limit' => 200, 'interval' => '1 hour'];
$limiter = (new RateLimiterFactory($options, new CacheStorage($container->get('cache.app')), $container->get('lock.factory')))->create('all');
$accepted = 0;
for ($i = 0; $i < 100; ++$i) {
    $accepted += (int) $limiter->consume()->isAccepted();
}
echo $accepted;
