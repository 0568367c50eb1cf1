<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\DependencyInjection\Alias;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Reference;

/**
 * Gives pools with tags those of Larder. Runs after all that may decorate a pool: then the decorator may have no tags,
 * and Symfony's go around it.
 *
 * @internal
 */
final class TagsPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        $decorated = [];
        foreach ($container->getDefinitions() as $definition) {
            $id = $definition->getDecoratedService()[0] ?? null;
            if (\is_string($id)) {
                $decorated[$id] = true;
            }
        }
        foreach ($container->getDefinitions() as $id => $definition) {
            if ($definition->getClass() === TagAwareAdapter::class) {
                $this->replace($container, $id, $definition, $decorated);
            }
        }
    }

    /**
     * The pool itself has tags: nothing need be put around it.
     *
     * @param array<string, true> $decorated
     */
    private function replace(ContainerBuilder $container, string $id, Definition $around, array $decorated): void
    {
        $inner = LarderPass::argument($around);
        $hasOthers = ($around->getArguments()[1] ?? null) !== null; // a pool of its own for tags
        if (!$inner instanceof Reference || $hasOthers || !$container->has((string) $inner)) {
            return;
        }
        $pool = $container->findDefinition((string) $inner);
        $name = array_search($pool, $container->getDefinitions(), true);
        if (!\is_string($name) || !LarderPass::isOurs($container, $pool)
            || isset($decorated[$name]) || isset($decorated[(string) $inner])) {
            return;
        }
        $tags = $around->getTags();
        $pool->setTags(array_intersect_key($tags, ['cache.taggable' => true]) + $pool->getTags());
        $container->setAlias($id, new Alias($name, $around->isPublic()));
    }
}
