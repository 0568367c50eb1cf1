<?php

/*
 * Tests LaravelStore and its locks under Laravel's repository, scheduler, queue and limiters. If Laravel's array store
 * can do the same, it runs each test first, as a control of the test itself.
 *
 *     php lab/laravel/prove.php AUTOLOADER…     the autoloaders of Larder and of Laravel
 */

declare(strict_types=1);

use Illuminate\Bus\UniqueLock;
use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\CacheManager;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\Repository;
use Illuminate\Config\Repository as Config;
use Illuminate\Console\Scheduling\CacheEventMutex;
use Illuminate\Console\Scheduling\CacheSchedulingMutex;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\Repository as CacheContract;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use Larder\Bridge\LaravelStore;

foreach (array_slice($argv, 1) as $autoloader) {
    require str_starts_with($autoloader, '/') ? $autoloader : dirname(__DIR__, 2) . "/$autoloader";
}

final class Job
{
    public int $uniqueFor = 60;
    public int $released = 0;
    public mixed $job = null;

    public function uniqueId(): string
    {
        return 'job 7';
    }

    public function release(int $seconds): void
    {
        ++$this->released;
    }
}

/** @return array<string, Closure(Repository): mixed> calls of a repository, whose results are compared */
function questions(): array
{
    return [
        'repository' => static fn(Repository $cache): array => [
            $cache->put('k', ['value'], 60), $cache->get('k'), $cache->has('k'), $cache->missing('absent'), $cache->get('absent', 'default'),
            $cache->put(['1' => 'a', '2' => 'b'], 60), $cache->many(['1', '2', 'absent']), $cache->putMany(['3' => 'c', 'd' => 'd']), $cache->get('3'),
            $cache->setMultiple(['4' => 'd'], 60), $cache->getMultiple(['4', 'absent'], 'default'), $cache->deleteMultiple(['4', '3']), $cache->get('4'),
            $cache->putMany(['1' => 'gone'], 0), $cache->get('1'), $cache->put(7, 'an integer', 60), $cache->get(7), $cache->pull(7), $cache->get(7),
            $cache->add('new', 1, 60), $cache->add('new', 2, 60), $cache->get('new'), $cache->increment('n'), $cache->increment('n', 5), $cache->decrement('n', 2),
            $cache->forever('ever', 'x'), $cache->get('ever'), $cache->remember('r', 60, static fn(): string => 'made'), $cache->remember('r', 60, static fn(): string => 'again'),
            $cache->rememberForever('rf', static fn(): int => 8), $cache->sear('rf', static fn(): int => 9), $cache->put('k', 'over', 0), $cache->get('k'),
            method_exists($cache, 'flexible') ? $cache->flexible('f', [60, 120], static fn(): int => 5) : 5,
            $cache->clear(), $cache->get('rf'),
        ],
        'locks' => static function (Repository $cache): array {
            $lock = $cache->lock('l', 60);
            $other = $cache->lock('l', 60, 'me');
            $answers = [
                $lock->owner() !== '', $lock->isOwnedByCurrentProcess(), $lock->get(), $lock->isOwnedByCurrentProcess(), $other->get(), $other->acquire(), $other->release(),
                $other->isOwnedByCurrentProcess(), $other->owner(), $cache->restoreLock('l', $lock->owner())->release(), $lock->release(), $lock->isOwnedByCurrentProcess(),
                $other->get(static fn(): string => 'done'), $other->betweenBlockedAttemptsSleepFor(10)->block(1, static fn(): string => 'blocked'), $other->acquire(),
            ];
            $cache->lock('l')->forceRelease();
            $answers[] = $lock->acquire();
            if (method_exists(Illuminate\Cache\ArrayLock::class, 'isOwnedBy')) { // since Laravel 11
                $answers[] = [$other->isOwnedBy($lock->owner()), $other->isOwnedBy('me')];
            }
            if (method_exists(Illuminate\Cache\ArrayLock::class, 'refresh')) { // since Laravel 13
                $answers[] = [$lock->refresh(), $lock->refresh(30), $other->refresh(30)];
            }
            try {
                $cache->lock('l', 60)->betweenBlockedAttemptsSleepFor(10)->block(0);
            } catch (Illuminate\Contracts\Cache\LockTimeoutException) {
                $answers[] = 'timed out';
            }

            return $answers;
        },
        'rate limiter' => static function (Repository $cache): array {
            $limiter = new RateLimiter($cache);

            return [$limiter->attempt('login', 2, static fn(): string => 'in'), $limiter->hit('login'), $limiter->tooManyAttempts('login', 2), $limiter->remaining('login', 5), $limiter->attempts('login'), $limiter->clear('login'), $limiter->attempts('login')];
        },
        'unique jobs' => static function (Repository $cache): array {
            $lock = new UniqueLock($cache);

            return [$lock->acquire(new Job()), $lock->acquire(new Job()), $lock->release(new Job()), $lock->acquire(new Job())];
        },
        'jobs without overlapping' => static function (Repository $cache): array {
            Container::getInstance()->instance(CacheContract::class, $cache);
            $runs = 0;
            $inner = new Job();
            $middleware = static fn(): WithoutOverlapping => (new WithoutOverlapping('key'))->releaseAfter(5)->expireAfter(60);
            $middleware()->handle(new Job(), static function () use (&$runs, $middleware, $inner): void {
                ++$runs;
                $middleware()->handle($inner, static function () use (&$runs): void {
                    ++$runs;
                });
            });
            $middleware()->handle(new Job(), static function () use (&$runs): void {
                ++$runs;
            });

            return [$runs, $inner->released];
        },
        'scheduler' => static function (Repository $cache): array {
            $container = Container::getInstance();
            $container->instance('config', new Config(['cache' => ['default' => 'proved', 'stores' => ['proved' => ['driver' => 'proved']], 'prefix' => '']]));
            $manager = new CacheManager($container);
            $manager->extend('proved', fn(): Repository => $cache); // Laravel binds the closure
            $mutex = new CacheEventMutex($manager);
            $event = (new Event($mutex, 'php artisan work'))->withoutOverlapping(5);
            $scheduling = new CacheSchedulingMutex($manager);
            $time = new DateTimeImmutable('2026-01-01 12:00');
            $answers = [$mutex->exists($event), $mutex->create($event), $mutex->create($event), $mutex->exists($event), $event->filtersPass($container)];
            $mutex->forget($event);

            return [...$answers, $mutex->exists($event), $event->filtersPass($container), $scheduling->create($event, $time), $scheduling->create($event, $time), $scheduling->exists($event, $time)];
        },
    ];
}

$directory = sys_get_temp_dir();
$addresses = ['array:', "file://$directory/files", "sqlite://$directory/cache.sqlite"];
$addresses = [...$addresses, ...(function_exists('apcu_enabled') && apcu_enabled() ? ['apcu:?namespace=prove'] : []), ...(extension_loaded('larder') ? ['larder:?namespace=prove'] : [])];
[$passed, $failed] = [0, 0];
foreach ($addresses as $address) {
    foreach (questions() as $name => $question) {
        $expected = $question(new Repository(new ArrayStore(true)));
        $cache = Larder\Cache::open($address);
        $cache->clear();

        try {
            $answers = $question(new Repository(new LaravelStore($cache)));
        } catch (Throwable $error) {
            $answers = $error;
        }
        $cache->clear();
        $isRight = serialize($answers instanceof Throwable ? null : $answers) === serialize($expected);
        ++${$isRight ? 'passed' : 'failed'};
        echo $isRight ? 'ok     ' : 'FAILED ', " Laravel's $name over $address\n";
        if (!$isRight) {
            echo $answers instanceof Throwable ? $answers : json_encode(['expected' => $expected, 'answered' => $answers], JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
        }
    }
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
