<?php

declare(strict_types=1);

/*
 * For Laravel's own tests. lab/laravel/prove puts TestedStore in the place of the array store and the array sessions;
 * in the tests of whole applications, each store is the tested one.
 */

namespace {
    use Illuminate\Cache\Repository;
    use Illuminate\Session\CacheBasedSessionHandler;
    use Illuminate\Support\Carbon;
    use Larder\Cache;
    use Larder\Laravel\LarderCacheStore;
    use Mockery\Adapter\Phpunit\MockeryTestCase;

    require __DIR__ . '/../../vendor/autoload.php';
    require __DIR__ . '/../../var/laravel/vendor/autoload.php';

    final class TestedStore
    {
        public static function open(): LarderCacheStore
        {
            $store = new LarderCacheStore(Cache::open((string) getenv('LARDER_TEST_STORE')));
            $store->flush();
            $store->flushLocks();

            return $store;
        }

        public static function sessions(int $minutes): CacheBasedSessionHandler
        {
            return new CacheBasedSessionHandler(new Repository(self::open()), $minutes);
        }
    }

    /** Looks whether each event was seen. A test that failed does not leave its clock to the next one. */
    abstract class TestedCase extends MockeryTestCase
    {
        protected function tearDown(): void
        {
            Carbon::setTestNow();
            parent::tearDown();
        }
    }
}

namespace Orchestra\Testbench {
    use Illuminate\Contracts\Console\Kernel;
    use Illuminate\Foundation\Application;
    use Illuminate\Foundation\Testing\TestCase as TestCaseOfLaravel;
    use Larder\Laravel\LarderServiceProvider;

    /** In the place of the package of this name: an application without files. */
    abstract class TestCase extends TestCaseOfLaravel
    {
        public function createApplication(): Application
        {
            $folder = (string) getenv('APP_HOME');
            is_dir("$folder/bootstrap/cache") || mkdir("$folder/bootstrap/cache", recursive: true);
            $application = Application::configure($folder)->withMiddleware()->withExceptions()->create();
            $application->make(Kernel::class)->bootstrap();
            $application->register(LarderServiceProvider::class);
            $store = ['driver' => 'larder', 'dsn' => getenv('LARDER_TEST_STORE')];
            $application['config']->set('cache.stores', array_fill_keys(['array', 'database', 'file', 'memcached', 'redis'], $store));
            $application['config']->set('cache.default', 'array');
            for ($class = new \ReflectionClass($this); $class !== false; $class = $class->getParentClass()) {
                foreach ($class->getAttributes(Attributes\WithConfig::class) as $attribute) {
                    $application['config']->set(...$attribute->getArguments());
                }
            }
            $application['cache']->store('array')->clear();
            $application['cache']->store('array')->getStore()->flushLocks();

            return $application;
        }
    }

    array_map(static fn(string $file): mixed => require $file, (array) glob(getenv('APP_HOME') . '/tests/*TestCase.php'));
}
