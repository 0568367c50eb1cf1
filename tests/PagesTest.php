<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Every PHP example of the pages does what the page says, every link works, and the number of words is limited. */
final class PagesTest extends TestCase
{
    /** To add a page, replace one. */
    private const MOST_PAGES = 16;

    /** Of Markdown in the whole repository, without CHANGELOG.md. */
    private const MOST_WORDS = 35_000;

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
        foreach ((array) glob(Repository::ROOT . '/docs/examples/*.php') as $file) {
            yield basename((string) $file) => [new Example((string) file_get_contents((string) $file), '')];
        }
    }

    #[DataProvider('examples')]
    public function testExampleDoesWhatItSays(Example $example): void
    {
        self::assertNull($example->failure(self::$servers ??= new ExampleServers()));
    }

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        foreach (Repository::pages() as $name) {
            yield $name => [$name];
        }
    }

    #[DataProvider('pages')]
    public function testLinksLeadSomewhere(string $name): void
    {
        self::assertSame([], self::deadLinks($name, (string) file_get_contents(Repository::ROOT . "/$name")));
    }

    #[TestWith(['[a page](gone.md)', 'gone.md'])]
    #[TestWith(['[a heading](start.md#gone)', 'start.md#gone'])]
    #[TestWith(["# Here\n[a heading](#gone)", '#gone'])]
    public function testDeadLinkIsNoticed(string $markdown, string $link): void
    {
        self::assertSame([$link], self::deadLinks('docs/control.md', $markdown . "\n[alive](start.md#install)"));
    }

    #[DataProvider('pages')]
    public function testPathsOfTheCloneExist(string $name): void
    {
        $markdown = (string) file_get_contents(Repository::ROOT . "/$name");
        preg_match_all('~/opt/larder/([\w./-]*)(?:\{([\w,]+)\})?~', $markdown, $paths, \PREG_SET_ORDER);
        foreach ($paths as $parts) {
            [$whole, $path, $either] = [...$parts, ''];
            foreach (explode(',', $either) as $last) {
                self::assertFileExists(Repository::ROOT . "/$path$last", $whole);
            }
        }
        self::assertCount(substr_count($markdown, '/opt/larder/'), $paths);
    }

    #[TestWith(['ARCHITECTURE.md'])]
    #[TestWith(['CONTRIBUTING.md'])]
    public function testNamedFilesExist(string $page): void
    {
        self::assertSame([], self::missingFiles((string) file_get_contents(Repository::ROOT . "/$page")));
    }

    public function testMissingFileIsNoticed(): void
    {
        self::assertSame(['core/gone.c', 'gone/'], self::missingFiles('`core/read.c`, `core/gone.c`, `library/`, `gone/`'));
    }

    public function testIndexListsEveryPage(): void
    {
        preg_match_all('~\]\(([a-z-]+\.md)\)~', (string) file_get_contents(Repository::ROOT . '/docs/README.md'), $matches);
        $pages = array_map(basename(...), array_map(strval(...), (array) glob(Repository::ROOT . '/docs/*.md')));

        self::assertEqualsCanonicalizing(array_diff($pages, ['README.md']), $matches[1]);
    }

    public function testPagesAndWordsAreFew(): void
    {
        $files = explode("\0", Repository::process(['git', 'ls-files', '-z', '*.md'])->mustRun()->getOutput());
        $texts = [];
        foreach ($files as $file) {
            if (!\in_array($file, ['', 'CHANGELOG.md'], true) && is_file(Repository::ROOT . "/$file")) {
                $texts[$file] = (string) file_get_contents(Repository::ROOT . "/$file");
            }
        }

        self::assertSame([], self::excess($texts));
    }

    public function testTooManyPagesOrWordsAreNoticed(): void
    {
        $pages = array_fill_keys(array_map(static fn(int $number): string => "docs/$number.md", range(1, self::MOST_PAGES + 1)), 'word');

        self::assertSame([(self::MOST_PAGES + 1) . ' pages in docs'], self::excess($pages));
        self::assertSame([(self::MOST_WORDS + 1) . ' words'], self::excess(['README.md' => str_repeat("word\n", self::MOST_WORDS + 1)]));
    }

    /**
     * @param array<string, string> $texts by path
     * @return list<string>
     */
    private static function excess(array $texts): array
    {
        $pages = \count((array) preg_grep('~^docs/[^/]+$~', array_keys($texts)));
        $words = array_sum(array_map(static fn(string $text): int => \count((array) preg_split('/\s+/', $text, flags: \PREG_SPLIT_NO_EMPTY)), $texts));

        return [...($pages > self::MOST_PAGES ? ["$pages pages in docs"] : []), ...($words > self::MOST_WORDS ? ["$words words"] : [])];
    }

    /**
     * @return list<string> missing files and folders in backticks, searched from the root or by the end of their path
     */
    private static function missingFiles(string $markdown): array
    {
        preg_match_all('~`([a-zA-Z_.-]+(?:/[a-zA-Z_.-]+)*(?:\.(?:c|h|php|txt|md)|/))`~', $markdown, $names);
        $files = "\0" . Repository::process(['git', 'ls-files', '-z'])->mustRun()->getOutput();

        return array_values(array_filter($names[1], static fn(string $name): bool => preg_match('~[\0/]' . preg_quote($name, '~') . (str_ends_with($name, '/') ? '' : '\0') . '~', $files) !== 1));
    }

    /** @return list<string> links to a missing file or heading */
    private static function deadLinks(string $name, string $markdown): array
    {
        preg_match_all('~\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]+))?\)~', $markdown, $links, \PREG_SET_ORDER);
        $dead = [];
        foreach ($links as $link) {
            $path = Repository::ROOT . '/' . ($link[1] === '' ? $name : \dirname($name) . '/' . $link[1]);
            $text = $link[1] === '' ? $markdown : @file_get_contents($path);
            if ($text === false || isset($link[2]) && !\in_array($link[2], self::headings($text), true)) {
                $dead[] = $link[1] . (isset($link[2]) ? "#$link[2]" : '');
            }
        }

        return $dead;
    }

    /** @return list<string> in the form that links use */
    private static function headings(string $markdown): array
    {
        preg_match_all('/^#+ (.+)$/m', $markdown, $headings);

        return array_map(
            static fn(string $heading): string => str_replace(' ', '-', (string) preg_replace('/[^a-z0-9 _-]/', '', strtolower($heading))),
            $headings[1],
        );
    }
}
