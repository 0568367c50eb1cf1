<?php

declare(strict_types=1);

namespace App;

use Doctrine\DBAL\Cache\QueryCacheProfile;
use Doctrine\DBAL\DriverManager;
use Larder\Symfony\LarderSymfonyBundle;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Kernel as SymfonyKernel;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Contracts\Cache\CacheInterface;
use Symfony\Contracts\Cache\ItemInterface;

/**
 * A shop whose goods are in a file and whose orders are in SQLite, both behind caches. SHOP_ADAPTER names the adapter of
 * its pools, SHOP_DATA its folder, SHOP_RELEASE the release below that: "a", or the next one, "b", in which a class and
 * a pool's options have changed.
 */
final class Kernel extends SymfonyKernel implements CompilerPassInterface
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        yield new LarderSymfonyBundle();
    }

    public function getProjectDir(): string
    {
        return getenv('SHOP_DATA') . '/' . getenv('SHOP_RELEASE');
    }

    public function page(Request $request): JsonResponse
    {
        $pool = $this->getContainer()->get('shop.pool');
        $prices = $this->getContainer()->get('price.pool');
        $queries = $this->getContainer()->get('doctrine.pool');
        $locks = $this->getContainer()->get('lock.factory');
        \assert($pool instanceof CacheInterface && $prices instanceof CacheInterface && $queries instanceof CacheItemPoolInterface && $locks instanceof LockFactory);
        $data = (string) getenv('SHOP_DATA');
        $session = $request->query->has('session') ? $request->getSession() : null;
        $session?->set('visits', 1 + (int) $session->get('visits', 0));
        $lock = $locks->createLock('report');

        return new JsonResponse([
            'goods' => $pool->get('key', static fn(ItemInterface $item): string
                => $item->tag('goods')->expiresAfter(3600) === $item ? trim((string) file_get_contents("$data/goods")) : ''),
            'orders' => DriverManager::getConnection(['driver' => 'pdo_sqlite', 'path' => "$data/orders.sqlite"])
                ->executeQuery('SELECT count FROM orders', [], [], new QueryCacheProfile(3600, 'orders', $queries))
                ->fetchOne(),
            'price' => $prices->get('price', static fn(): Price => Price::of(trim((string) file_get_contents("$data/goods"))))->text(),
            'lock' => $lock->acquire(),
            'visits' => $session?->get('visits'),
        ]);
    }

    public function process(ContainerBuilder $container): void
    {
        $container->getAlias('lock.factory')->setPublic(true);
        foreach (['shop.pool', 'price.pool', 'doctrine.pool', 'cache.app'] as $id) {
            $container->hasAlias($id) ? $container->getAlias($id)->setPublic(true) : $container->getDefinition($id)->setPublic(true);
        }
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $isLarder = getenv('SHOP_ADAPTER') === 'cache.adapter.larder';
        $container->extension('framework', [
            'secret' => 'of the shop',
            'http_method_override' => false,
            'handle_all_throwables' => true,
            'php_errors' => ['log' => true],
            'cache' => [
                'prefix_seed' => 'shop',
                'app' => (string) getenv('SHOP_ADAPTER'),
                'pools' => [
                    'shop.pool' => ['tags' => true],
                    'price.pool' => getenv('SHOP_RELEASE') === 'a' ? ['tags' => true] : ['default_lifetime' => 600],
                    'doctrine.pool' => [],
                ],
            ],
            'lock' => $isLarder ? 'larder.lock.store' : 'flock',
            'session' => ['handler_id' => $isLarder ? 'larder.session.handler' : null],
            'messenger' => ['transports' => ['jobs' => 'in-memory://']],
            'router' => ['utf8' => true],
        ]);
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('page', '/')->controller('kernel::page');
    }
}
