<?php

/*
 * Tests larder/laravel under Laravel's repository, scheduler, queue and limiters. If Laravel's array store
 * can do the same, it runs each test first, as a control of the test itself.
 *
 *     php lab/laravel/prove.php AUTOLOADER…     the autoloaders of Larder and of Laravel
 */

declare(strict_types=1);

use Illuminate\Bus\UniqueLock;
use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\CacheManager;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Cache\Events\CacheHit;
use Illuminate\Cache\Events\CacheMissed;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\Repository;
use Illuminate\Config\Repository as Config;
use Illuminate\Console\Scheduling\CacheEventMutex;
use Illuminate\Console\Scheduling\CacheSchedulingMutex;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\Repository as CacheContract;
use Illuminate\Events\Dispatcher;
use Illuminate\Foundation\Application;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use Illuminate\Session\SessionServiceProvider;
use Illuminate\Support\Testing\Fakes\EventFake;
use Larder\Laravel\LarderCacheStore;
use Larder\Laravel\LarderRepository;
use Larder\Laravel\LarderServiceProvider;

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
            $cache->remember(8, 60, static fn(): string => 'of an integer'), $cache->tags('t')->remember(8, 60, static fn(): string => 'of a tag'), $cache->get(8), $cache->rememberForever('rf', static fn(): int => 8), $cache->sear('rf', static fn(): int => 9), $cache->put('k', 'over', 0), $cache->get('k'),
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
        'tags' => static function (Repository $cache): array {
            $shop = $cache->tags(['shop', 'de']);
            $answers = [
                $shop->put('k', ['value'], 60), $shop->get('k'), $cache->get('k'), $cache->tags(['shop'])->get('k'), $cache->tags('shop', 'de')->get('k'),
                $shop->add('new', 1, 60), $shop->add('new', 2, 60), $shop->increment('n'), $shop->increment('n', 4), $shop->decrement('n', 2), $shop->get('n'),
                $shop->forever('ever', 'x'), $shop->putMany(['a' => 1, '7' => 2], 60), $shop->many(['a', '7', 'none']), $shop->has('a'), $shop->pull('a'), $shop->get('a'),
                $shop->remember('r', 60, static fn(): string => 'made'), $shop->remember('r', 60, static fn(): string => 'again'), $shop->sear('s', static fn(): int => 8), $shop->add('kept', 1),
                $cache->tags(['fr'])->put('k', 'french', 60), $cache->tags(['de'])->flush(), $shop->get('k'), $shop->get('n'), $shop->get('ever'), $shop->get('r'), $shop->many(['a', '7']), $cache->tags('fr')->get('k'),
                $shop->put('k', 'new', 60), $shop->get('k'), $shop->increment('n'), $shop->add('new', 3, 60), $shop->get('new'), $shop->remember('r', 60, static fn(): string => 'after'),
                $shop->forget('k'), $shop->get('k'), $cache->tags(['a|b'])->put('k', 'one', 60), $cache->tags(['shop'])->flush(), $shop->get('r'), $cache->tags(['a|b'])->get('k'), $cache->supportsTags(),
            ];
            // A flush during a computation wins over its result.
            $answers[] = $shop->remember('late', 60, static fn(): string => $cache->tags('shop')->flush() ? 'late' : '');

            return $answers;
        },
        'null and lifetimes' => static fn(Repository $cache): array => [
            $cache->put('null', null, 60), $cache->get('null', 'default'), $cache->has('null'), $cache->remember('null', 60, static fn(): int => 1), $cache->get('null'),
            $cache->remember('nothing', 60, static fn(): mixed => null), $cache->get('nothing', 'default'), $cache->remember('by value', static fn(int $seconds): int => $seconds, static fn(): int => 60), $cache->get('by value'),
            $cache->remember('over', 0, static fn(): int => 1), $cache->get('over'), $cache->remember('date', new DateTimeImmutable('+1 hour'), static fn(): int => 2), $cache->get('date'),
            $cache->remember('interval', new DateInterval('PT1M'), static fn(): int => 3), $cache->get('interval'), $cache->remember('ever', null, static fn(): int => 4), $cache->get('ever'),
        ],
        'counters of other types' => static fn(Repository $cache): array => [
            $cache->put('n', '5', 60), $cache->increment('n'), $cache->get('n'), $cache->put('n', 2.0, 60), $cache->increment('n', 2), $cache->decrement('n', '3'), $cache->increment('n', 2), $cache->remember('made', 60, static fn(): int => 7), $cache->increment('made'),
        ],
        'flexible' => static function (Repository $cache): array {
            $runs = 0;
            $ask = static function () use ($cache, &$runs): mixed {
                return $cache->flexible('f', [1, 60], static function () use (&$runs): int {
                    return ++$runs;
                });
            };
            $answers = [$ask(), $ask()];
            usleep(2_100_000);
            $answers[] = $ask();
            defer()->invoke();

            return [...$answers, $ask()];
        },
        'events' => static function (Repository $cache): array {
            $said = [];
            $events = new Dispatcher();
            $events->listen('Illuminate\\Cache\\Events\\*', static function (string $name, array $payload) use (&$said): void {
                $said[] = [$name, get_object_vars($payload[0])];
            });
            $cache->setEventDispatcher($events);
            $cache->get('k');
            $cache->remember('k', 60, static fn(): int => 1);
            $cache->get('k');
            $cache->tags(['shop'])->remember('k', 60, static fn(): int => 2);
            $cache->tags(['shop'])->flush();
            $cache->forget('k');
            $cache->clear();
            $fake = new EventFake(new Dispatcher());
            $cache->setEventDispatcher($fake);
            $cache->get('k');
            $said[] = $fake->dispatched(CacheMissed::class)->count();
            $one = new Dispatcher();
            $one->listen(CacheHit::class, static function (CacheHit $hit) use (&$said): void {
                $said[] = [$hit->key, $hit->value, $hit->tags];
            });
            $cache->setEventDispatcher($one);
            $cache->put('k', 1, 60);
            $cache->tags('shop')->put('k', 2, 60);

            return [...$said, $cache->get('k'), $cache->tags('shop')->get('k'), $cache->get('none', static fn(): int => 3)];
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
$addresses = ['array:', "file://$directory/files", "sqlite://$directory/cache.sqlite", ...array_filter(explode(' ', (string) getenv('LARDER_TEST_SERVERS')))];
$addresses = [...$addresses, ...(function_exists('apcu_enabled') && apcu_enabled() ? ['apcu:?namespace=prove'] : []), ...(extension_loaded('larder') ? ['larder:?namespace=prove'] : [])];
[$passed, $failed] = [0, 0];
foreach ($addresses as $address) {
    foreach (questions() as $name => $question) {
        $expected = $question(new Repository(new ArrayStore(true)));
        $cache = Larder\Cache::open($address);
        $cache->clear();

        try {
            $answers = $question(new LarderRepository(new LarderCacheStore($cache)));
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

/**
 * @param Closure(): string $work
 * @return list<string> what each of 8 processes says
 */
function inProcesses(Closure $work): array
{
    $processes = [];
    for ($i = 0; $i < 8; ++$i) {
        [$here, $there] = (array) stream_socket_pair(\STREAM_PF_UNIX, \SOCK_STREAM, 0);
        if (pcntl_fork() === 0) {
            fclose($here);
            fread($there, 1); // the start
            fwrite($there, $work());
            posix_kill((int) getmypid(), \SIGKILL); // without the parent's shutdown
        }
        fclose($there);
        $processes[] = $here;
    }
    array_map(static fn($process): int|false => fwrite($process, 's'), $processes);
    $said = array_map(static fn($process): string => (string) stream_get_contents($process), $processes);
    while (pcntl_wait($status) > 0);

    return $said;
}

$check = static function (string $what, bool $isRight, mixed $answer) use (&$passed, &$failed): void {
    ++${$isRight ? 'passed' : 'failed'};
    echo $isRight ? 'ok     ' : 'FAILED ', $what, $isRight ? '' : ': ' . json_encode($answer), "\n";
};

/**
 * True if the hits of 8 processes get all numbers once. The first hit is made before, because RateLimiter may put 1
 * over the counts of others at the very first ones: it adds 0, increments and puts in three calls.
 */
$areExact = static function (Closure $open): bool {
    (new RateLimiter($open()))->hit('login', 600);
    $said = inProcesses(static function () use ($open): string {
        $limiter = new RateLimiter($open());

        return implode(' ', array_map(static fn(): int => $limiter->hit('login', 600), range(1, 250))) . ' ';
    });
    $numbers = array_map(intval(...), explode(' ', trim(implode('', $said))));
    sort($numbers);

    return $numbers === range(2, 2001);
};
$shared = array_filter($addresses, static fn(string $address): bool => $address !== 'array:' && !str_starts_with($address, 'apcu:'));
foreach ($shared as $address) {
    $open = static fn(): LarderRepository => new LarderRepository(new LarderCacheStore(Larder\Cache::open($address)));
    $open()->clear();
    $check("8 processes hit one limiter over $address", $areExact($open), null);
    $made = inProcesses(static fn(): string => $open()->tags('shop')->remember('made', 60, static function (): string {
        usleep(300_000);

        return getmypid() . '.';
    }));
    $check("8 processes compute one value over $address", count(array_unique($made)) === 1, $made);
    $late = $open()->tags('shop');
    $late->remember('late', 60, static fn(): bool => $open()->tags('shop')->flush());
    $check("a flush during a computation wins over $address", $late->get('late') === null, $late->get('late'));
    $open()->clear();
}
$files = static fn(): Repository => new Repository(new Illuminate\Cache\FileStore(new Illuminate\Filesystem\Filesystem(), "$directory/laravel"));
$check("control: 8 processes hit one limiter over Laravel's files", !$areExact($files), null);
$own = (new ArrayStore())->tags('shop');
$own->remember('late', 60, static fn(): bool => $own->flush());
$check("control: a flush during a computation over Laravel's array", $own->get('late') === true, $own->get('late'));

/** @param array<string, mixed> $settings with dots @return Application with the store "larder" and its sessions */
$application = static function (string $dsn, array $settings = []) use ($directory): Application {
    $application = new Application($directory);
    $config = new Config(['app' => ['key' => 'k'], 'cache' => ['stores' => ['larder' => ['driver' => 'larder', 'dsn' => $dsn]]], 'session' => ['driver' => 'larder', 'lifetime' => 60]]);
    $config->set($settings);
    $application->instance('config', $config);
    array_map($application->register(...), [CacheServiceProvider::class, SessionServiceProvider::class, LarderServiceProvider::class]);

    return $application;
};
$cacheOf = static fn(string $dsn, array $settings = []): Repository => $application($dsn, $settings)['cache']->store('larder');
/** @return string the class of the exception that it throws; otherwise the type of its result */
$outcome = static function (Closure $call): string {
    try {
        return get_debug_type($call());
    } catch (Throwable $error) {
        return $error::class;
    }
};
foreach (['redis:///nowhere.sock', 'redis:///nowhere.sock?timeout=0.5', 'mysql://u@127.0.0.1:9/nowhere?', 'pgsql://u@127.0.0.1:9/nowhere'] as $dsn) {
    $read = $outcome(static fn(): string => $application($dsn)['session']->driver()->getHandler()->read('session'));
    $get = $outcome(static fn(): mixed => $cacheOf($dsn)->get('key'));
    $check("sessions throw, and others miss, over $dsn", [$read, $get] === [Larder\Exception\StoreFailed::class, 'null'], [$read, $get]);
    $flushed = [$cacheOf($dsn)->clear(), $cacheOf($dsn)->tags('tag')->flush()];
    $check("a flush says that it failed over $dsn", $flushed === [false, false], $flushed);
}
foreach (['an empty dsn' => [''], 'an empty LARDER_DSN' => ['none:', ['cache.stores' => []]]] as $what => $arguments) {
    $_ENV['LARDER_DSN'] = '';
    $is = $outcome(static fn(): mixed => $cacheOf(...$arguments)->get('key'));
    $check("$what is none", $is === 'null', $is);
}
$object = static fn(): array => ['object' => new ArrayObject([1])];
$before = ["file://$directory/before", "sqlite://$directory/before.sqlite?serializer=php", "tier:(array:)(file://$directory/(tier))?poll=0", "tier:(array:)(tier:(array:)(file://$directory/nested))"];
foreach ($before as $dsn) {
    $cacheOf($dsn)->put('before', $object(), 60);
    $limited = $cacheOf($dsn, ['cache.serializable_classes' => ['ArrayObject']]);
    $limited->put('after', $object(), 60);
    $got = [$cacheOf($dsn)->get('before'), $limited->get('before'), $limited->get('after')];
    $check("objects from before the limit are misses over $dsn", $got == [$object(), null, $object()], array_map(get_debug_type(...), $got));
}
foreach (['redis:///nowhere.sock', 'redis+cluster://127.0.0.1:9?timeout=0.1', 'tier:(array:)(redis:///nowhere.sock)', 'auto:', 'array:', 'none:', 'php-file://' . "$directory/php"] as $dsn) {
    $is = $outcome(static fn(): mixed => $cacheOf($dsn, ['cache.serializable_classes' => false])->get('key'));
    $check("classes can be limited over $dsn", $is === 'null', $is);
}
try {
    $said = $cacheOf("file://$directory/igbinary?serializer=igbinary", ['cache.serializable_classes' => false])->get('key');
} catch (Larder\Exception\InvalidDsn $error) {
    $said = $error->getMessage();
}
$check('igbinary with a limit of classes is refused, and the message says what to do', is_string($said) && str_ends_with($said, 'set cache.serializable_classes to null'), $said);
foreach ([19 => ['int', 'bool'], 20 => [Larder\Exception\InvalidDsn::class, Larder\Exception\InvalidDsn::class]] as $length => $expected) {
    $dsn = "tier:(array:)(file://$directory/named?namespace=" . str_repeat('n', $length) . ')';
    $one = $cacheOf($dsn);
    $other = $cacheOf($dsn, ['cache.prefix' => 'other']);
    $is = [$outcome(static fn(): ?int => $one->put('key', 1, 60) && $other->put('key', 2, 60) ? $one->get('key') : null), $outcome(static fn(): bool => $one->lock('lock', 9)->get())];
    $check("$length characters of a DSN's namespace", $is === $expected, $is);
}
$held = $cacheOf("file://$directory/held");
$is = [$held->lock('stuck')->get(), $held->clear(), $held->lock('stuck')->isLocked(), $held->flushLocks(), $held->lock('stuck')->isLocked()];
$check('flushLocks() of a repository ends locks', $is === [true, true, true, true, false], $is);

/**
 * @param string $properties of its class Product
 * @param Closure(): mixed $work
 * @return mixed what it says in a process of this release
 */
$inRelease = static function (string $properties, Closure $work): mixed {
    [$here, $there] = (array) stream_socket_pair(\STREAM_PF_UNIX, \SOCK_STREAM, 0);
    if (pcntl_fork() === 0) {
        ini_set('larder.classes', '*'); // another application of this process has set it
        eval("final class Product { public function __construct($properties) {} }");
        try {
            $said = $work();
        } catch (Throwable $error) {
            $said = $error::class;
        }
        fwrite($there, serialize($said));
        posix_kill((int) getmypid(), \SIGKILL); // without the parent's shutdown
    }
    fclose($there);
    pcntl_wait($status);

    return unserialize((string) stream_get_contents($here));
};
[$old, $new] = ["public string \$name = 'old'", "public string \$title = 'new', public int \$price = 7"];
$store = static fn(Repository $cache): bool => $cache->put('product', new Product(), 60) && $cache->put('list', [new Product()], 60);
$title = static fn(?Product $product): ?string => $product?->title;
$reads = static fn(Repository $cache): array => [$title($cache->get('product')), $title($cache->get('list')[0] ?? null), $title($cache->remember('product', 60, static fn(): Product => new Product()))];
$deployed = static fn(Closure $open): array => [$inRelease($old, static fn(): bool => $store($open())), $inRelease($new, static fn(): array => $reads($open())), $inRelease($old, static fn(): string => $open()->remember('product', 60, static fn(): Product => new Product())->name)];
foreach (extension_loaded('larder') ? [null, ['Product']] : [] as $classes) {
    $is = $deployed(static fn(): Repository => $cacheOf('larder:?namespace=deployed', ['cache.serializable_classes' => $classes]));
    $check('a class that changed is a miss in the new release and in the old one' . ($classes === null ? '' : ', if it is allowed'), $is === [true, [null, null, 'new'], 'old'], $is);
}
$is = $deployed($files);
$check("control: a class that changed over Laravel's files", $is === [true, Error::class, 'old'], $is);
foreach ([...$shared, 'larder:?namespace=limits'] as $dsn) {
    if (str_starts_with($dsn, 'larder:') && !extension_loaded('larder')) {
        continue;
    }
    $limits = static fn(mixed $classes): Closure => static fn(): Repository => $cacheOf($dsn, ['cache.serializable_classes' => $classes]);
    $says = static fn(mixed $classes): mixed => $inRelease($old, static fn(): ?array => array_map(static fn(mixed $one): mixed => $one instanceof Product ? $one->name : get_debug_type($one), (array) $limits($classes)()->get('list')));
    $inRelease($old, static fn(): bool => $store($limits(['Product'])()));
    $is = [$says(null), $says(['Product']), $says(false)];
    $check("each release reads what one with another limit of classes stored over $dsn", $is === [['old'], ['old'], [__PHP_Incomplete_Class::class]], $is);
    $one = $cacheOf($dsn);
    $one->put('kept', 1, 60);
    $other = $cacheOf($dsn, ['cache.prefix' => 'next']);
    $is = [$other->get('kept'), $other->clear(), $one->get('kept')];
    $check("a release with another prefix shares nothing over $dsn", $is === [null, true, 1], $is);
}

if (extension_loaded('larder')) {
    $flushed = new LarderRepository(new LarderCacheStore(Larder\Cache::open('larder:?namespace=grows')));
    $count = static fn(): int => iterator_count(new LarderIterator());
    $rounds = [];
    for ($round = 0; $round < 1000; ++$round) {
        $flushed->tags(['shop', 'de'])->forever('page', $round);
        $flushed->tags('shop')->flush();
        $rounds[] = $count();
    }
    $check('1,000 flushes leave no entries', max($rounds) - $rounds[0] <= 1, array_slice($rounds, -3));
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
