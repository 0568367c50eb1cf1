<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Tests\Servers;

/** A store that has a test class here, for tests that use several stores. */
final readonly class TestedStore
{
    public string $name;

    /** @param class-string<DriverTestCase> $test */
    public function __construct(public string $test)
    {
        $this->name = substr((string) strrchr($test, '\\'), 1, -\strlen('Test'));
    }

    /** @return array<string, self> by name */
    public static function all(): array
    {
        $stores = [];
        foreach ([
            ...(array) glob(__DIR__ . '/*/*Test.php'),
            ...(array) glob(__DIR__ . '/Legacy/*/*Test.php'),
        ] as $file) {
            $test = __NAMESPACE__ . strtr(substr((string) $file, \strlen(__DIR__), -\strlen('.php')), '/', '\\');
            if (is_subclass_of($test, DriverTestCase::class)) {
                $store = new self($test);
                $stores[$store->name] = $store;
            }
        }

        return $stores;
    }

    /** @return iterable<string, array{self}> for tests that use each store */
    public static function each(): iterable
    {
        foreach (self::all() as $name => $store) {
            yield $name => [$store];
        }
    }

    /**
     * @param string $name the end of a namespace that only this test run uses, at most 24 characters; opened again, it
     *         has the same values
     * @param string $options further options of the DSN: "serializer=json&compress=zlib"
     */
    public function open(string $name, string $options = ''): Cache
    {
        return Cache::open($this->test::dsn(Servers::run() . $name) . ($options === '' ? '' : '&' . $options));
    }

    /** Opens it with a namespace that nothing else uses, if it has namespaces. */
    public function openNew(): Cache
    {
        return $this->open(bin2hex(random_bytes(4)));
    }
}
