<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\ContainerInterface;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes DSNs of Larder work where Symfony knows only its own: providers of pools, locks, sessions. Runs after
 * CachePoolPass, which turns a provider into a service.
 *
 * @internal
 */
final class LarderPass implements CompilerPassInterface
{
    private const CONNECTION = '.cache_connection.';

    public function process(ContainerBuilder $container): void
    {
        foreach (array_keys($container->findTaggedServiceIds('cache.pool')) as $id) {
            $pool = $container->getDefinition($id);
            if (!$pool->isAbstract()) {
                $this->openPool($container, $pool);
            }
        }
        foreach (array_keys($container->findTaggedServiceIds('lock.store')) as $id) {
            if ($container->getDefinition($id)->getFactory() === [StoreFactory::class, 'createStore']) {
                $container->getDefinition($id)->setFactory([Factory::class, 'lock']);
            }
        }
        $this->openSessions($container);
    }

    private function openPool(ContainerBuilder $container, Definition $pool): void
    {
        $first = self::argument($pool);
        foreach (\is_array($first) ? $first : [] as $chained) { // of a ChainAdapter
            if ($chained instanceof Definition) {
                $this->openPool($container, $chained);
            }
        }
        if (!$first instanceof Reference) {
            return;
        }
        if (self::isOurs($container, $pool)) {
            $provider = $this->provider($container, (string) $first);
            if ($provider !== null) {
                $pool->replaceArgument(0, $provider);
            }
        } elseif ($pool->getFactory() === [AbstractAdapter::class, 'createAdapter']
            && str_starts_with((string) $first, self::CONNECTION)) { // Symfony 8.2: see Factory::adapter()
            $container->getDefinition((string) $first)->setFactory([Factory::class, 'connection']);
            $pool->setFactory([Factory::class, 'adapter']);
        }
    }

    /** @return Reference|null null for a service of the application */
    private function provider(ContainerBuilder $container, string $id): ?Reference
    {
        $isConnection = str_starts_with($id, self::CONNECTION) && $container->hasDefinition($id);
        // CachePoolPass takes php-file:///path for a service, because of the hyphen. Wrong DSNs too: those that it does
        // not find it shows, with their passwords.
        $isDsn = str_contains($id, '://') || Factory::dsn($id) !== null;
        if (!$isConnection && ($container->has($id) || !$isDsn)) {
            return null;
        }
        $dsn = $isConnection ? $container->getDefinition($id)->getArgument(0) : $id;
        $provider = '.larder.provider.' . ContainerBuilder::hash($dsn);
        if (!$container->hasDefinition($provider)) {
            $container->register($provider, Provider::class)
                ->setArguments([$dsn, new Reference('logger', ContainerInterface::NULL_ON_INVALID_REFERENCE)])
                ->addTag('monolog.logger', ['channel' => 'cache']);
        }

        return new Reference($provider);
    }

    private function openSessions(ContainerBuilder $container): void
    {
        if (!$container->hasDefinition('session.abstract_handler')) {
            return;
        }
        $handler = $container->getDefinition('session.abstract_handler')->setFactory([Factory::class, 'session']);
        $named = $container->hasAlias('session.handler') ? (string) $container->getAlias('session.handler') : '';
        if (!$container->has($named) && Factory::dsn($named) !== null) { // "larder:", without //
            $container->setAlias('session.handler', 'session.abstract_handler');
            $handler->replaceArgument(0, $named);
        }
        $argument = $handler->getArguments()[0] ?? null;
        if ($argument instanceof Reference && str_starts_with((string) $argument, self::CONNECTION)) {
            $dsn = $container->getDefinition((string) $argument)->getArgument(0);
            if (Factory::dsn($dsn) !== null) {
                $handler->replaceArgument(0, $dsn);
            }
        }
    }

    public static function isOurs(ContainerBuilder $container, Definition $definition): bool
    {
        $class = $definition->getClass();
        while ($class === null && $definition instanceof ChildDefinition && $container->has($definition->getParent())) {
            $definition = $container->findDefinition($definition->getParent());
            $class = $definition->getClass();
        }

        return $class === Adapter::class;
    }

    public static function argument(Definition $definition): mixed
    {
        $arguments = $definition->getArguments();

        return $arguments['index_0'] ?? $arguments[0] ?? null;
    }
}
