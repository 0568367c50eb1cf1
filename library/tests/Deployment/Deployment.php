<?php

declare(strict_types=1);

namespace Larder\Tests\Deployment;

use Larder\Cache;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use Larder\Testing\Fork;

/**
 * An application before and after a deployment that changed its classes. Each version runs in its own process: one
 * stores objects, the other one reads them. An error handler turns warnings into exceptions, like those of frameworks.
 */
final class Deployment
{
    private const BEFORE = <<<'PHP'
        namespace Larder\Deployed;
        final class Kept { public string $text = 'kept'; }
        final class Holder { public function __construct(public mixed $inner) {} }
        final class Retyped { public string $n = 'a string'; }
        final class Removed { public int $n = 1; }
        final class MadeReadonly { public string $text = 'kept'; }
        enum RemovedEnum: string { case A = 'a'; }
        enum Shrunk { case Kept; case Gone; }
        final class MadeEnum { public int $n = 1; }
        final class MadeAbstract { public int $n = 1; }
        class MadeInterface { public int $n = 1; }
        final class RemovedSerializable implements \Serializable {
            public function serialize(): string { return 'data'; }
            public function unserialize(string $data): void {}
        }
        final class ThrowingWakeup { public int $n = 1; }
        final class ThrowingUnserialize { public function __serialize(): array { return ['old' => 1]; } public function __unserialize(array $data): void {} }
        final class Asking { public bool $answer = false; public function __wakeup(): void {} }
        PHP;

    private const AFTER = <<<'PHP'
        namespace Larder\Deployed;
        final class Kept { public string $text = 'default'; }
        final class Holder { public function __construct(public mixed $inner) {} }
        final class Retyped { public \DateTimeInterface $n; }
        final class MadeReadonly { public function __construct(public readonly string $text = 'new') {} }
        enum Shrunk { case Kept; }
        enum MadeEnum { case A; }
        abstract class MadeAbstract { public int $n = 1; }
        interface MadeInterface {}
        final class ThrowingWakeup { public int $n = 1; public function __wakeup(): void { throw new \LogicException('no'); } }
        final class ThrowingUnserialize { public function __serialize(): array { return []; } public function __unserialize(array $data): void { throw new \Error('no'); } }
        final class Asking { public bool $answer = true; public function __wakeup(): void { $this->answer = class_exists('Larder\Deployed\NeverThere'); } }
        PHP;

    /** Values that the new version can read: their class is the same, or still fits the old data. */
    public const READABLE = ['plain', 'kept', 'made readonly', 'kept enum', 'asking'];
    /** The other values, each of which is stored alone, in an array and in an object. */
    private const CHANGED = [
        'retyped', 'removed', 'removed enum', 'removed case', 'made enum', 'made abstract', 'made interface',
        'removed serializable',
        'throwing wakeup', 'throwing unserialize',
    ];

    /**
     * The results of the new version, by the name of the value and the way of reading.
     *
     * @param \Closure(): Cache $open opens the same store each time
     * @return array{array<string, array<string, string>>, array<string, int>} results as text, and failure counts
     */
    public static function run(\Closure $open): array
    {
        Fork::run(static function () use ($open): void {
            error_reporting(\E_ALL & ~\E_DEPRECATED); // the one about Serializable
            eval(self::BEFORE);
            $cache = $open();
            foreach (self::values() as $name => $value) {
                $cache->set($name, $value, 600) || throw new \RuntimeException($name . ' was refused');
                $cache->get($name); // a tier then keeps a copy
            }
        });

        /** @var array{array<string, array<string, string>>, array<string, int>} */
        return Fork::run(static function () use ($open): array {
            set_error_handler(static function (int $level, string $message): bool {
                return (error_reporting() & $level) === 0 ? false : throw new \ErrorException($message);
            });
            eval(self::AFTER);

            return self::read($open());
        });
    }

    /** @return array<string, mixed> created by the old version */
    private static function values(): array
    {
        $new = static fn(string $class, mixed ...$arguments): object
            => new ('Larder\Deployed\\' . $class)(...$arguments);
        $case = static fn(string $case): mixed => \constant('Larder\Deployed\\' . $case);
        $values = [
            'plain' => ['a' => 1], 'kept' => [$new('Kept')], 'made readonly' => $new('MadeReadonly'),
            'kept enum' => [$case('Shrunk::Kept')], 'asking' => $new('Asking'),
        ];
        foreach (self::CHANGED as $name) {
            $value = match ($name) {
                'removed enum' => $case('RemovedEnum::A'),
                'removed case' => $case('Shrunk::Gone'),
                default => $new(str_replace(' ', '', ucwords($name))),
            };
            $values += [
                $name => $value,
                "$name in an array" => ['first' => 1, 'second' => [$value]],
                "$name in an object" => $new('Holder', $value),
            ];
        }

        return $values;
    }

    /** @return array{array<string, array<string, string>>, array<string, int>} */
    private static function read(Cache $cache): array
    {
        $pool = new ItemPool($cache);
        $simple = new SimpleCache($cache);
        $names = self::names();
        $before = self::countedByEngine();
        $many = $cache->getMany($names, 'miss');
        $items = iterator_to_array($pool->getItems($names));
        $read = [];
        foreach ($names as $name) {
            $read[$name] = [
                'get' => self::text($cache->get($name, 'miss')),
                'getMany' => self::text($many[$name]),
                'has' => $cache->has($name) ? 'hit' : 'miss',
                'getItem' => self::text($pool->getItem($name)->isHit() ? $pool->getItem($name)->get() : 'miss'),
                'getItems' => self::text($items[$name]->isHit() ? $items[$name]->get() : 'miss'),
                'PSR-16 get' => self::text($simple->get($name, 'miss')),
            ];
        }
        $failures = ['by the engine' => self::countedByEngine() - $before, ...$cache->failures()];
        foreach ($names as $name) {
            $read[$name]['remember'] = self::text($cache->remember($name, 60, static fn(): string => 'miss'));
            $cache->set($name, 'new');
            $read[$name]['set'] = self::text($cache->get($name));
        }

        return [$read, $failures];
    }

    private static function countedByEngine(): int
    {
        $count = \function_exists('larder_info') ? larder_info()['unreadable'] ?? 0 : 0;

        return \is_int($count) ? $count : 0;
    }

    /** @return list<string> */
    private static function names(): array
    {
        $names = self::READABLE;
        foreach (self::CHANGED as $name) {
            array_push($names, $name, "$name in an array", "$name in an object");
        }

        return $names;
    }

    /** Returned as text, since the receiving process does not know the new classes. */
    private static function text(mixed $value): string
    {
        return \is_string($value) ? $value : 'hit: ' . preg_replace('/\s+/', ' ', print_r($value, true));
    }
}
