<?php

declare(strict_types=1);

namespace Larder\Symfony\Tests;

use Larder\Symfony\LarderSymfonyBundle;
use Psr\Log\NullLogger;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\HttpKernel\Kernel;

/** An application of the framework and our bundle, in a folder of its own. */
final class TestKernel extends Kernel implements CompilerPassInterface
{
    /**
     * @param array<string, mixed> $framework its configuration
     * @param list<string> $public services that a test asks for
     * @param array<string, string> $decorators classes by the pool that each decorates
     */
    public function __construct(
        private readonly string $folder,
        private readonly array $framework,
        private readonly array $public = [],
        bool $isDebug = false,
        private readonly array $decorators = [],
    ) {
        parent::__construct('test', $isDebug);
    }

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        yield new LarderSymfonyBundle();
    }

    public function registerContainerConfiguration(LoaderInterface $loader): void
    {
        $loader->load(function (ContainerBuilder $container): void {
            $container->register('logger', NullLogger::class); // the framework's writes to the terminal
            foreach ($this->decorators as $id => $class) {
                $container->register("$id.decorator", $class)
                    ->setDecoratedService($id)
                    ->setArguments([new Reference("$id.decorator.inner")]);
            }
            $container->loadFromExtension('framework', $this->framework + [
                'secret' => 'of a test',
                'http_method_override' => false,
                'handle_all_throwables' => true,
                'php_errors' => ['log' => false],
            ]);
        });
    }

    public function process(ContainerBuilder $container): void
    {
        foreach ($this->public as $id) {
            $container->hasAlias($id)
                ? $container->getAlias($id)->setPublic(true)
                : $container->getDefinition($id)->setPublic(true);
        }
    }

    public function getProjectDir(): string
    {
        return $this->folder;
    }
}
