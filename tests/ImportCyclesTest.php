<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PhpParser\Node;
use PhpParser\NodeFinder;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor\NameResolver;
use PhpParser\ParserFactory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * There are no import cycles between files of the library, folders of the library or of the command, or modules of the
 * engine. A folder and the folder of the same name in Internal/ count as one: the public and the internal types of one
 * part. A module of the engine is a header and the file of the same name.
 */
final class ImportCyclesTest extends TestCase
{
    private const LIBRARY = Repository::ROOT . '/library/src';
    private const CLI = Repository::ROOT . '/cli/src';

    public function testNoFilesNeedEachOther(): void
    {
        $imports = self::imports(self::LIBRARY);
        self::assertGreaterThan(100, \count($imports));
        self::assertSame([], self::cycles($imports));
    }

    #[TestWith([self::LIBRARY, '', 15])]
    #[TestWith([self::CLI, 'Cli/', 10])]
    public function testNoFoldersNeedEachOther(string $source, string $prefix, int $least): void
    {
        $folders = self::folders(self::imports($source, $prefix));
        self::assertGreaterThan($least, \count($folders));
        self::assertSame([], self::cycles($folders));
    }

    #[TestWith(['core', 40])]
    #[TestWith(['php', 30])]
    public function testNoModulesOfTheEngineNeedEachOther(string $folder, int $least): void
    {
        $modules = self::modules(Repository::ROOT . "/extension/$folder");
        self::assertGreaterThan($least, \count($modules));
        self::assertSame([], self::cycles($modules));
    }

    public function testCyclesOfModulesAreFound(): void
    {
        $folder = new TemporaryDirectory();
        $files = ['a.h' => '', 'a.c' => '#include "a.h"' . "\n" . ' # include "b.h"', 'b.h' => "#include <c.h>\n" . '#include "c.h"', 'c.c' => '#include "../d.h"'];
        foreach ($files as $name => $code) {
            file_put_contents("$folder->path/$name", $code);
        }
        self::assertEquals(['a' => ['b'], 'b' => ['c'], 'c' => ['d']], self::modules($folder->path));
        self::assertSame([], self::cycles(self::modules($folder->path)));
        file_put_contents("$folder->path/c.c", '#include "a.h"');
        self::assertSame(['a, b, c'], self::cycles(self::modules($folder->path)));
    }

    public function testCyclesAreFound(): void
    {
        $code = [
            'A/One' => '<?php namespace Larder\A; use Larder\B\Two; class One { public Two $two; }',
            'B/Two' => '<?php namespace Larder\B; class Two extends Three {}',
            'B/Three' => '<?php namespace Larder\B; class Three { public function f(): void { \Larder\A\One::f(); } }',
            'B/Four' => '<?php namespace Larder\B; class Four { public Two $two; public self $self; }',
            'Internal/A/Five' => '<?php namespace Larder\Internal\A; class Five { public \Larder\A\One $one; }',
        ];
        $imports = array_map(self::needs(...), $code);
        self::assertSame(['A/One' => ['B/Two'], 'B/Two' => ['B/Three'], 'B/Three' => ['A/One'], 'B/Four' => ['B/Two'], 'Internal/A/Five' => ['A/One']], $imports);
        self::assertSame(['A/One, B/Three, B/Two'], self::cycles($imports));
        self::assertSame(['A, B'], self::cycles(self::folders($imports)));
        unset($imports['B/Three']);
        self::assertSame([], self::cycles($imports));
    }

    /**
     * @param string $prefix prefix of these classes
     * @return array<string, list<string>> by class, without the leading Larder: Larder's classes that it names
     */
    private static function imports(string $source, string $prefix = ''): array
    {
        $imports = [];
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($source, \FilesystemIterator::SKIP_DOTS)) as $file) {
            if ($file->getExtension() === 'php') {
                $class = $prefix . substr($file->getPathname(), \strlen($source) + 1, -4);
                $imports[$class] = self::needs((string) file_get_contents($file->getPathname()));
            }
        }

        return $imports;
    }

    /** @return array<string, list<string>> by module of a folder: other files whose headers it includes */
    private static function modules(string $folder): array
    {
        $modules = [];
        foreach ((array) glob("$folder/*.[ch]") as $file) {
            preg_match_all('/^\s*#\s*include\s+"([^"]+)\.h"/m', (string) file_get_contents((string) $file), $included);
            $module = pathinfo((string) $file, PATHINFO_FILENAME);
            $others = array_diff(array_map(basename(...), $included[1]), [$module]);
            $modules[$module] = array_values(array_unique([...$modules[$module] ?? [], ...$others]));
        }

        return $modules;
    }

    /** @return list<string> Larder's classes that the code of a file names; comments do not count */
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
            $folder = self::folder($class);
            $folders[$folder] = array_values(array_unique([...$folders[$folder] ?? [], ...array_diff(array_map(self::folder(...), $needed), [$folder])]));
        }

        return $folders;
    }

    private static function folder(string $class): string
    {
        return \dirname(str_starts_with($class, 'Internal/') ? substr($class, \strlen('Internal/')) : $class);
    }

    /**
     * Tarjan's strongly connected components with more than one member.
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
