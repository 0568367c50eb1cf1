<?php

declare(strict_types=1);

namespace Larder\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * The library keeps no state in static properties, static variables or globals: a process that serves many requests,
 * and one that forks, only has the state of its objects. Exceptions are listed here. They end with the last object that
 * shares them, or never change while the process lives.
 */
final class StateTest extends TestCase
{
    private const SHARED = [
        'Drivers.php: static array $drivers',
        'Internal/Driver/Engine/Segments.php: static bool $isTold',
        'Internal/Driver/File/Directory.php: static ?bool $isUnreadable',
        'Internal/Driver/Memcached/MemcachedStore.php: static array $versions',
        'Internal/Driver/Memcached/MemcachedStream.php: static ?int $first',
        'Internal/Filesystem/TrustedPath.php: static ?int $codeOwner',
        'Internal/Lock/LockOwner.php: static ?self $own',
        'Internal/Process/User.php: static ?int $id',
        'Internal/Remember/Placeholder.php: static ?array $number',
        'Internal/Remember/Remember.php: static array $open',
        'Internal/Remember/Remember.php: static bool $endsWithRequest',
        'Process/Pid.php: static ?bool $isKnownByEngine',
        'Process/Pid.php: static ?bool $isKnownByPhp',
    ];

    public function testClassesHaveNoStaticState(): void
    {
        $files = 0;
        $state = [];
        $source = \dirname(__DIR__) . '/src';
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(
            $source,
            \FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            if ($file->getExtension() === 'php') {
                ++$files;
                foreach (self::state((string) file_get_contents($file->getPathname())) as $found) {
                    $state[] = substr($file->getPathname(), \strlen($source) + 1) . ': ' . $found;
                }
            }
        }
        self::assertGreaterThan(50, $files);
        sort($state);
        self::assertSame(self::SHARED, $state);
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function controls(): iterable
    {
        yield 'a static property' => ['class A { private static int $n = 0; }', ['static int $n']];
        yield 'one with a type of several' => [
            'class A { public static null|array|\A\B $n = null; }',
            ['static null|array|\A\B $n'],
        ];
        yield 'one without a type' => ['class A { static $n; }', ['static $n']];
        yield 'a static variable' => ['function f() { static $n = 0; }', ['static $n']];
        yield 'one in a closure' => ['$f = fn() => (function () { static $n; return ++$n; })();', ['static $n']];
        yield 'a global variable' => ['function f() { global $n; $GLOBALS["m"] = 1; }', ['global', '$GLOBALS']];
        yield 'what is static and no state' => [
            'class A { const N = 1; static function f(int $n): static { return new static(static fn($x) => static::N); '
                . '} public static function g(self $a): ?static { return $a instanceof static ? $a : null; } }',
            [],
        ];
    }

    /** @param list<string> $expected */
    #[DataProvider('controls')]
    public function testStaticStateIsFound(string $code, array $expected): void
    {
        self::assertSame($expected, self::state('<?php ' . $code));
    }

    /** @return list<string> */
    private static function state(string $code): array
    {
        $ofType = [
            \T_STRING, \T_ARRAY, \T_CALLABLE, \T_NAME_QUALIFIED, \T_NAME_FULLY_QUALIFIED, \T_NAME_RELATIVE, \T_READONLY,
            \T_PUBLIC, \T_PROTECTED, \T_PRIVATE, \T_VAR,
        ];
        $tokens = array_values(array_filter(
            \PhpToken::tokenize($code),
            static fn(\PhpToken $token): bool => !$token->isIgnorable(),
        ));
        $state = [];
        foreach ($tokens as $i => $token) {
            if ($token->is(\T_GLOBAL) || $token->text === '$GLOBALS') {
                $state[] = $token->text;
            }
            if (!$token->is(\T_STATIC) || ($i > 0 && $tokens[$i - 1]->is(\T_INSTANCEOF))) {
                continue;
            }
            $type = '';
            $next = $i + 1;
            while (isset($tokens[$next]) && $tokens[$next]->is([...$ofType, '?', '|', '&', '(', ')'])) {
                $type .= $tokens[$next++]->text;
            }
            // "static($x)" calls a constructor.
            if (isset($tokens[$next]) && $tokens[$next]->is(\T_VARIABLE) && !str_contains($type, '(')) {
                $state[] = rtrim('static ' . $type) . ' ' . $tokens[$next]->text;
            }
        }

        return $state;
    }
}
