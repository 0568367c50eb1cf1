<?php

declare(strict_types=1);

namespace Larder\Tests;

use PhpParser\Node;
use PhpParser\NodeFinder;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor\NameResolver;
use PhpParser\ParserFactory;
use PHPUnit\Framework\TestCase;

/** No two files, and no two folders, of the library need each other. */
final class ImportCyclesTest extends TestCase
{
    private const SOURCE = __DIR__ . '/../src';

    /** A refusal lists the stores that can do what was asked for, so it asks the registry, which knows them all. */
    private const REFUSALS = 'Contract/Capability > Drivers';

    public function testNoFilesNeedEachOther(): void
    {
        $imports = self::imports();
        self::assertGreaterThan(100, \count($imports));
        self::assertSame([], self::cycles($imports));
    }

    public function testNoFoldersNeedEachOther(): void
    {
        $folders = self::folders(self::imports());
        self::assertGreaterThan(15, \count($folders));
        self::assertSame([], self::cycles($folders));
    }

    public function testCyclesAreFound(): void
    {
        $code = [
            'A/One' => '<?php namespace Larder\A; use Larder\B\Two; class One { public Two $two; }',
            'B/Two' => '<?php namespace Larder\B; class Two extends Three {}',
            'B/Three' => '<?php namespace Larder\B; class Three { public function f(): void { \Larder\A\One::f(); } }',
            'B/Four' => '<?php namespace Larder\B; class Four { public Two $two; public self $self; }',
        ];
        $imports = array_map(self::needs(...), $code);
        self::assertSame(['A/One' => ['B/Two'], 'B/Two' => ['B/Three'], 'B/Three' => ['A/One'], 'B/Four' => ['B/Two']], $imports);
        self::assertSame(['A/One, B/Three, B/Two'], self::cycles($imports));
        self::assertSame(['A, B'], self::cycles(self::folders($imports)));
        unset($imports['B/Three']);
        self::assertSame([], self::cycles($imports));
    }

    /** @return array<string, list<string>> by class, without the leading Larder: the classes of the library that it names */
    private static function imports(): array
    {
        $imports = [];
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(self::SOURCE, \FilesystemIterator::SKIP_DOTS)) as $file) {
            if ($file->getExtension() === 'php') {
                $class = substr($file->getPathname(), \strlen(self::SOURCE) + 1, -4);
                $needed = self::needs((string) file_get_contents($file->getPathname()));
                $imports[$class] = array_values(array_filter($needed, static fn(string $other): bool => "$class > $other" !== self::REFUSALS));
            }
        }

        return $imports;
    }

    /** @return list<string> the classes of Larder that a file names in its code; what its comments name does not count */
    private static function needs(string $code): array
    {
        $traverser = new NodeTraverser(new NameResolver());
        $finder = new NodeFinder();
        $statements = $traverser->traverse((new ParserFactory())->createForNewestSupportedVersion()->parse($code) ?? []);
        $own = array_map(static fn(Node\Stmt\ClassLike $class): string => (string) $class->namespacedName, $finder->findInstanceOf($statements, Node\Stmt\ClassLike::class));
        $names = array_map(static fn(Node\Name\FullyQualified $name): string => $name->toString(), $finder->findInstanceOf($statements, Node\Name\FullyQualified::class));
        $others = array_filter(array_diff($names, $own), static fn(string $name): bool => str_starts_with($name, 'Larder\\'));

        return array_values(array_unique(array_map(static fn(string $name): string => strtr(substr($name, \strlen('Larder\\')), '\\', '/'), $others)));
    }

    /**
     * @param array<string, list<string>> $imports by class
     * @return array<string, list<string>> by folder
     */
    private static function folders(array $imports): array
    {
        $folders = [];
        foreach ($imports as $class => $needed) {
            $folders[\dirname($class)] = array_values(array_unique([...$folders[\dirname($class)] ?? [], ...array_diff(array_map(\dirname(...), $needed), [\dirname($class)])]));
        }

        return $folders;
    }

    /**
     * Tarjan's strongly connected components, of more than one member.
     *
     * @param array<string, list<string>> $graph
     * @return list<string>
     */
    private static function cycles(array $graph): array
    {
        $index = $low = $stack = $cycles = [];
        $visit = static function (string $node) use (&$visit, &$index, &$low, &$stack, &$cycles, $graph): void {
            $index[$node] = $low[$node] = \count($index);
            $stack[] = $node;
            foreach ($graph[$node] ?? [] as $next) {
                if (!isset($index[$next])) {
                    $visit($next);
                    $low[$node] = min($low[$node], $low[$next]);
                } elseif (\in_array($next, $stack, true)) {
                    $low[$node] = min($low[$node], $index[$next]);
                }
            }
            if ($low[$node] === $index[$node]) {
                $members = array_splice($stack, (int) array_search($node, $stack, true));
                sort($members);
                if (\count($members) > 1) {
                    $cycles[] = implode(', ', $members);
                }
            }
        };
        foreach (array_keys($graph) as $node) {
            if (!isset($index[$node])) {
                $visit($node);
            }
        }
        sort($cycles);

        return $cycles;
    }
}
