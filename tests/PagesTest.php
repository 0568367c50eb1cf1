<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every PHP example of README and docs/ does what the page says, and every command is one that exists. */
final class PagesTest extends TestCase
{
    private static ?ExampleServers $servers = null;

    public static function tearDownAfterClass(): void
    {
        self::$servers = null;
    }

    /** @return iterable<string, array{Example}> */
    public static function examples(): iterable
    {
        foreach (Repository::pages() as $name) {
            foreach (Page::read($name)->examples() as $place => $example) {
                yield $place => [$example];
            }
        }
    }

    #[DataProvider('examples')]
    public function testExampleDoesWhatItSays(Example $example): void
    {
        self::assertNull($example->failure(self::$servers ??= new ExampleServers()));
    }

    /** @return iterable<string, array{string}> */
    public static function links(): iterable
    {
        foreach (Repository::pages() as $name) {
            preg_match_all('~\]\((?!https?:|#|mailto:)([^)#]+)~', (string) file_get_contents(Repository::ROOT . '/' . $name), $matches);
            foreach (array_unique($matches[1]) as $target) {
                yield "$name: $target" => [\dirname($name) . '/' . $target];
            }
        }
    }

    #[DataProvider('links')]
    public function testLinkLeadsSomewhere(string $path): void
    {
        self::assertFileExists(Repository::ROOT . '/' . $path);
    }

    /** @return iterable<string, array{string, string}> */
    public static function fragments(): iterable
    {
        foreach (Repository::pages() as $name) {
            preg_match_all('~\]\((?!https?:)([^)#]*)#([^)]+)\)~', (string) file_get_contents(Repository::ROOT . '/' . $name), $matches, \PREG_SET_ORDER);
            foreach (array_unique($matches, \SORT_REGULAR) as [, $target, $fragment]) {
                yield "$name: $target#$fragment" => [$target === '' ? $name : \dirname($name) . '/' . $target, $fragment];
            }
        }
    }

    #[DataProvider('fragments')]
    public function testLinkLeadsToAHeading(string $path, string $fragment): void
    {
        preg_match_all('/^#+ (.+)$/m', (string) file_get_contents(Repository::ROOT . '/' . $path), $headings);
        $slugs = array_map(
            static fn(string $heading): string => str_replace(' ', '-', (string) preg_replace('/[^a-z0-9 _-]/', '', strtolower($heading))),
            $headings[1],
        );

        self::assertContains($fragment, $slugs);
    }

    public function testIndexListsEveryPage(): void
    {
        preg_match_all('~\]\(([a-z-]+\.md)\)~', (string) file_get_contents(Repository::ROOT . '/docs/README.md'), $matches);
        $pages = array_map(basename(...), array_map(strval(...), (array) glob(Repository::ROOT . '/docs/*.md')));

        self::assertEqualsCanonicalizing(array_diff($pages, ['README.md']), $matches[1]);
    }
}
