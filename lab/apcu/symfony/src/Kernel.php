<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Kernel as SymfonyKernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

/** A shop that keeps all caches, the framework's and its own, in APCu. */
final class Kernel extends SymfonyKernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
    }

    public function getProjectDir(): string
    {
        return \dirname(__DIR__);
    }

    public function getCacheDir(): string
    {
        return getenv('SHOP_DATA') . '/cache';
    }

    public function getLogDir(): string
    {
        return getenv('SHOP_DATA') . '/log';
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', [
            'secret' => 'of the shop',
            'http_method_override' => false,
            'handle_all_throwables' => true,
            'php_errors' => ['log' => true],
            'cache' => [
                'prefix_seed' => 'shop',
                'system' => 'cache.adapter.apcu',
                'app' => 'cache.adapter.apcu',
                'pools' => ['cache.catalogue' => ['adapter' => 'cache.app', 'tags' => true]],
            ],
            'annotations' => ['enabled' => true],
            'property_access' => ['enabled' => true],
            'property_info' => ['enabled' => true],
            'router' => ['utf8' => true],
            'serializer' => ['enable_attributes' => true],
            'validation' => ['enable_attributes' => true, 'email_validation_mode' => 'html5'],
        ]);
        $container->services()->defaults()->autowire()->autoconfigure()
            ->set(Catalogue::class)
            ->set(Pages::class)->tag('controller.service_arguments');
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->import(__DIR__ . '/Pages.php', 'attribute');
    }
}
