<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\TestCase;

/**
 * FPM's pools share compiled code, but not their settings. If php_admin_value has fixed a setting, opcache evaluates
 * ini_get() at compile time, so every pool would get the first pool's value. In a namespace it cannot, unless the name
 * begins with a backslash: PHP knows only at run time which function is meant.
 */
final class SettingsTest extends TestCase
{
    private const FIXED = '~\\\\ini_get\(\s*[\'"]|use function ini_get~';

    public function testEachPoolHasItsOwn(): void
    {
        $sources = Repository::process(['git', 'ls-files', 'library/src', 'compat', 'cli/src'])->mustRun()->getOutput();
        $files = array_filter(explode("\n", $sources), static fn(string $file): bool => str_ends_with($file, '.php'));
        self::assertGreaterThan(200, \count($files));
        foreach ($files as $file) {
            $code = (string) file_get_contents(Repository::ROOT . "/$file");
            self::assertDoesNotMatchRegularExpression(self::FIXED, $code, $file);
            self::assertTrue(!str_contains($code, 'ini_get(') || preg_match('~^namespace ~m', $code) === 1, "$file has no namespace");
        }
        self::assertMatchesRegularExpression(self::FIXED, 'return \\ini_get(\'a\');', 'the control');
    }
}
