<?php

declare(strict_types=1);

// Uses caches by language alone, so that it runs where any function of PHP is missing. Prints what came of each DSN.

/** @var string $folder */
$folder = $_SERVER['LARDER_TEST'];
/** @var array<string, string> $files */
$files = require $folder . '/classes.php';
/** @var array<string, string> $dsns */
$dsns = require $folder . '/dsns.php';

spl_autoload_register(static function (string $class) use ($files): void {
    if (isset($files[$class])) {
        require $files[$class];
    }
});

foreach ($dsns as $name => $dsn) {
    $said = '';

    try {
        $cache = Larder\Cache::open($dsn);
    } catch (Larder\Exception\StoreUnavailable $refusal) {
        echo $name, ': ', $refusal->getMessage(), "\n";

        continue;
    }
    $token = $lock = null;
    $calls = [
        static fn(): bool => $cache->set('key', ['value', new ArrayObject([1])], 60),
        static fn(): bool => $cache->setMany(['a' => 1, 'b' => 'text'], 60),
        static fn(): array => $cache->getMany(['a', 'b', 'c']),
        static fn(): mixed => $cache->pull('a'),
        static fn(): bool => $cache->add('added', 1),
        static fn(): bool => $cache->replace('added', 2),
        static fn(): bool => $cache->touch('added', 60),
        static fn(): bool => $cache->swap('added', 2, 3),
        static fn(): mixed => $cache->increment('count', ttl: 60),
        static fn(): mixed => $cache->expiry('added'),
        static fn(): mixed => $cache->remember('made', 60, static fn(): string => 'made', tags: ['tag']),
        static fn(): mixed => $cache->remember('made', 60, static fn(): string => 'made', tags: ['tag']),
        static fn(): array
            => $cache->rememberMany(['made', 'more'], 60, static fn(array $keys): array => ['more' => 1]),
        static fn(): bool => $cache->invalidateTags(['tag']),
        static function () use ($cache, &$token): void {
            $cache->getWithToken('key', null, $token);
        },
        static function () use ($cache, &$token): void {
            $cache->setIfUnchanged('key', $token ?? '', ['other', new ArrayObject([1])]);
        },
        static function () use ($cache, &$lock): void {
            $lock = $cache->lock('lock', 5);
        },
        static function () use (&$lock): void {
            $lock?->renew(5);
        },
        static fn(): mixed => $cache->lockHolder('lock'),
        static fn(): mixed => $cache->lock('lock', 5, wait: 0.01),
        static function () use (&$lock): void {
            $lock?->release();
        },
        static function () use ($cache): void {
            foreach ($cache->keys() as $key) {
            }
        },
        static fn(): bool => $cache->withSubNamespace('sub')->set('key', 1),
        static fn(): bool => (new Larder\Psr\SimpleCache($cache))->setMultiple(['x' => 1]),
        static fn(): mixed => (new Larder\Psr\ItemPool($cache))->getItem('item'),
        static fn(): array => $cache->explain(),
        static function () use ($cache): void {
            $handler = new Larder\Session\Handler($cache, wait: 0, allowEviction: true);
            $id = $handler->create_sid();
            $handler->open('', '');
            $handler->read($id);
            $handler->write($id, 'data');
            $handler->close();
            $handler->destroy($id);
        },
        static fn(): bool => $cache->delete('b'),
        static fn(): bool => $cache->deleteMany(['a', 'b']),
        static fn(): int => $cache->prune(),
        static function () use ($cache, &$said): void {
            $value = $cache->get('key');
            $said .= \is_array($value) && $value[0] === 'other' ? 'works' : 'misses';
        },
        static fn(): bool => $cache->clear(),
    ];
    foreach ($calls as $number => $call) {
        try {
            $call();
        } catch (Larder\Exception\CacheException) {
            // It cannot do that.
        } catch (Throwable $error) {
            $said .= " (call $number: {$error->getMessage()} at {$error->getFile()}:{$error->getLine()})";
        }
    }
    echo $name, ': ', $said, "\n";
}
