<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\DependencyInjection\Compiler\PassConfig;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;
use Symfony\Component\Lock\PersistingStoreInterface;

use function Symfony\Component\DependencyInjection\Loader\Configurator\abstract_arg;
use function Symfony\Component\DependencyInjection\Loader\Configurator\inline_service;
use function Symfony\Component\DependencyInjection\Loader\Configurator\service;

/** Has the adapter cache.adapter.larder, larder.lock.store and larder.session.handler. */
final class LarderSymfonyBundle extends AbstractBundle
{
    /** After CachePoolPass, which has 32. */
    private const PRIORITY = 16;
    /** After what decorates pools, which has 0. */
    private const LATE = -16;

    public function build(ContainerBuilder $container): void
    {
        $container->addCompilerPass(new LarderPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, self::PRIORITY);
        $container->addCompilerPass(new TagsPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, self::LATE);
    }

    /** @param array<mixed> $config */
    public function loadExtension(array $config, ContainerConfigurator $container, ContainerBuilder $builder): void
    {
        $services = $container->services();
        $services->set('cache.default_larder_provider', Provider::class)
            ->args(['%env(default::LARDER_DSN)%', service('logger')->nullOnInvalid()])
            ->tag('monolog.logger', ['channel' => 'cache']);
        $services->set('cache.adapter.larder', Adapter::class)
            ->abstract()
            ->args([abstract_arg('the provider'), '', 0, service('cache.default_marshaller')->nullOnInvalid()])
            ->call('setLogger', [service('logger')->ignoreOnInvalid()])
            ->tag('cache.pool', [
                'provider' => 'cache.default_larder_provider',
                'clearer' => 'cache.default_clearer',
                'reset' => 'reset',
            ])
            ->tag('monolog.logger', ['channel' => 'cache']);
        if (interface_exists(PersistingStoreInterface::class)) {
            $services->set('larder.lock.store', LockStore::class)->args([service('cache.default_larder_provider')]);
        }
        $services->set('larder.session.handler', StrictSessionHandler::class)
            ->args([inline_service(SessionHandler::class)]);
    }
}
