<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Failure;
use Larder\Internal\Codec\MissingClass;
use Larder\Internal\Codec\PhpCodec;
use PHPUnit\Framework\TestCase;

/** The autoloader that refuses stored objects of missing classes must not affect the application. */
final class MissingClassTest extends TestCase
{
    /** @var list<callable> */
    private array $loaders = [];

    protected function tearDown(): void
    {
        array_map(spl_autoload_unregister(...), $this->loaders);
    }

    public function testApplicationsUnserializeIsUnaffected(): void
    {
        MissingClass::watch();
        self::assertInstanceOf(\__PHP_Incomplete_Class::class, unserialize('O:11:"NoSuchClass":0:{}'));
        self::assertFalse(class_exists('NoSuchClass'));
    }

    public function testLaterAutoloaderIsAsked(): void
    {
        $codec = self::watching();
        $this->register(static function (string $class): void {
            if ($class === 'LoadedLater') {
                eval('final class LoadedLater { public int $n = 0; }');
            }
        });
        $value = $codec->decode('a:1:{i:0;O:11:"LoadedLater":1:{s:1:"n";i:7;}}', 'k');
        self::assertIsArray($value);
        self::assertSame(['n' => 7], get_object_vars((object) $value[0]));
        self::assertSame([], $codec->failures()->counts());
        self::assertNull($codec->decode('O:11:"NoSuchClass":0:{}', 'k'));
    }

    /** Symfony's DebugClassLoader does this. */
    public function testWrappingAutoloaderChangesNothing(): void
    {
        $codec = self::watching();
        $loaders = spl_autoload_functions();
        array_map(spl_autoload_unregister(...), $loaders);

        try {
            $this->register(static function (string $class) use ($loaders): void {
                foreach ($loaders as $loader) {
                    $loader($class);
                }
            });
            self::assertSame('miss', $codec->decode('a:1:{i:0;O:11:"NoSuchClass":0:{}}', 'k', 'miss'));
            self::assertSame([Failure::ClassMissing->value => 1], $codec->failures()->counts());
        } finally {
            array_map(spl_autoload_register(...), $loaders);
        }
    }

    /** The control of the tests that read missing classes in arrays: only the autoloader refuses them. */
    public function testPlainUnserializeMakesIncompleteObjects(): void
    {
        $codec = self::watching();
        spl_autoload_unregister([MissingClass::class, 'refuse']);

        try {
            self::assertInstanceOf(
                \__PHP_Incomplete_Class::class,
                ((array) $codec->decode('a:1:{i:0;O:11:"NoSuchClass":0:{}}', 'k'))[0] ?? null,
            );
            self::assertSame('miss', $codec->decode('O:11:"NoSuchClass":0:{}', 'k', 'miss'));
        } finally {
            spl_autoload_register([MissingClass::class, 'refuse']);
        }
    }

    /** A codec that has read bytes which may contain objects: the autoloader is registered at the first such value. */
    private static function watching(): PhpCodec
    {
        $codec = new PhpCodec();
        self::assertEquals([new \stdClass()], $codec->decode('a:1:{i:0;O:8:"stdClass":0:{}}', 'k'));

        return $codec;
    }

    private function register(callable $loader): void
    {
        $this->loaders[] = $loader;
        spl_autoload_register($loader);
    }
}
