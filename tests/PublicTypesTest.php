<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cache;
use PHPUnit\Framework\TestCase;

/** library/README.md lists the public types. Types in their signatures are public too. */
final class PublicTypesTest extends TestCase
{
    private const SOURCE = Repository::ROOT . '/library/src';

    public function testPageListsThem(): void
    {
        self::assertSame(self::types(), self::listed());
    }

    public function testTheyNameNoInternalType(): void
    {
        $found = [];
        foreach (self::types() as $type) {
            array_push($found, ...self::internalNames($type));
        }
        self::assertSame([], $found);
    }

    /** The control: the constructor of a cache takes the resolver, so it is for Cache::open() only. */
    public function testInternalNamesAreFound(): void
    {
        self::assertSame(['Larder\Cache::__construct names Larder\Internal\Resolver'], self::internalNames(Cache::class, true));
    }

    /** @return list<class-string> sorted by name */
    private static function types(): array
    {
        $types = [];
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(self::SOURCE, \FilesystemIterator::SKIP_DOTS)) as $file) {
            $name = substr($file->getPathname(), \strlen(self::SOURCE) + 1);
            if ($file->getExtension() === 'php' && !str_starts_with($name, 'Internal/')) {
                /** @var class-string $type */
                $type = 'Larder\\' . strtr(substr($name, 0, -4), '/', '\\');
                $types[] = $type;
            }
        }
        sort($types);

        return $types;
    }

    /** @return list<string> */
    private static function listed(): array
    {
        preg_match('/^## Public types$.*/ms', (string) file_get_contents(Repository::ROOT . '/library/README.md'), $section);
        preg_match_all('/`((?!Larder)[A-Z][\w\\\\]*)`/', $section[0] ?? '', $names);
        $listed = array_map(static fn(string $name): string => "Larder\\$name", $names[1]);
        sort($listed);

        return $listed;
    }

    /**
     * @param class-string $type
     * @return list<string> names in the signatures of public methods that are not marked @internal
     */
    private static function internalNames(string $type, bool $withConstructor = false): array
    {
        $found = [];
        foreach ((new \ReflectionClass($type))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
            if ($method->isConstructor() && !$withConstructor || str_contains((string) $method->getDocComment(), '@internal')) {
                continue;
            }
            $signature = implode(' ', [...array_map(static fn(\ReflectionParameter $parameter): string => (string) $parameter->getType(), $method->getParameters()), (string) $method->getReturnType()]);
            preg_match_all('/Larder\\\\Internal\\\\[\w\\\\]+/', $signature, $names);
            foreach ($names[0] as $name) {
                $found[] = "$type::{$method->getName()} names $name";
            }
        }

        return $found;
    }
}
