<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** Scripts whose callbacks call the cache from within a call of the cache. */
final class ReentrantCode
{
    /** everything() uses all functions, and notes wrong results. */
    public const EVERYTHING = <<<'PHP'
        <?php
        final class Seen { public static array $calls = []; public static array $wrong = []; public static bool $within = false; }
        final class Plain { public function __construct(public mixed $value) {} }

        function everything(string $place): void {
            if (Seen::$within) {
                return;
            }
            Seen::$within = true;
            $n = Seen::$calls[$place] = (Seen::$calls[$place] ?? 0) + 1;
            [$a, $b, $c] = ["$place $n a", "$place $n b", "$place $n c"];
            $long = str_repeat("$place $n ", 1 + $n * 531 % 9_000);
            $right = [
                'store' => larder_store($a, $long), 'fetch' => larder_fetch($a) === $long, 'add' => !larder_add($a, 1), 'exists' => larder_exists($a),
                'replace' => larder_replace($a, ['in' => [$long, [1.5, null]]]), 'fetch an array' => larder_fetch($a) === ['in' => [$long, [1.5, null]]],
                'store an object' => larder_store($b, new Plain([$n])), 'fetch an object' => larder_fetch($b) == new Plain([$n]),
                'store_multiple' => larder_store_multiple([$a => $n, $c => 'text']) === [], 'fetch_multiple' => larder_fetch_multiple([$a, $c, 'none'], 0) === [$a => $n, $c => 'text', 'none' => 0],
                'increment' => larder_increment($a, 2) === $n + 2, 'decrement' => larder_decrement($a) === $n + 1, 'cas' => larder_cas($a, $n + 1, 7), 'touch' => larder_touch($a, 60),
                'fetch a number' => larder_fetch($a) === 7, 'fetch_cas' => larder_fetch_cas($a, 0, $cas) === 7, 'store_cas' => larder_store_cas($a, $long, $cas) && !larder_store_cas($a, 1, $cas),
                'delete' => larder_delete($a) && !larder_exists($a), 'delete_multiple' => larder_delete_multiple([$b, $c]) === [], 'exists_multiple' => larder_exists_multiple([$a]) === [$a => false], 'add_multiple' => larder_add_multiple([$a => 1, $b => 2]) === [], 'key_info' => larder_key_info($a)['ttl'] === 0.0, 'delete_prefix' => larder_delete_prefix("$place $n ") === 2,
                'fetch what is gone' => larder_fetch_multiple([$a, $b, $c]) === [$a => null, $b => null, $c => null],
                'info' => larder_info()['available'], 'the same key' => larder_store('outer', $long) && larder_fetch('outer') === $long,
                'clear' => $n % 7 !== 0 || larder_clear(),
            ];
            foreach (array_keys($right, false, true) as $function) {
                Seen::$wrong[] = "$place, call $n: $function";
            }
            Seen::$within = false;
        }
        function seen(): array { return [Seen::$calls, Seen::$wrong]; }

        PHP;

    /** The callbacks, and the calls that trigger them. */
    public const HOOKS = <<<'PHP'
        class Serializing {
            public mixed $more = null;
            public function __serialize(): array { everything('__serialize'); return ['more' => $this->more]; }
            public function __unserialize(array $data): void { everything('__unserialize'); $this->more = $data['more']; }
        }
        class Sleeping {
            public mixed $more = 1;
            public function __sleep(): array { everything('__sleep'); return ['more']; }
            public function __wakeup(): void { everything('__wakeup'); }
        }
        class Dying { public function __destruct() { everything('__destruct'); } }
        class Failing {
            public function __serialize(): array { everything('__serialize that throws'); throw new DomainException(); }
        }
        class FailingLater {
            public mixed $more = 1;
            public function __serialize(): array { return ['more' => 1]; }
            public function __unserialize(array $data): void { everything('__unserialize that throws'); throw new DomainException(); }
        }
        class Name { public function __construct(private string $name) {} public function __toString(): string { everything('__toString of a key'); return $this->name; } }
        class Careless { public function __sleep(): array { return ['missing']; } }
        spl_autoload_register(function (string $class): void { everything('an autoloader'); eval("class $class { public \$more; }"); });
        set_error_handler(function (int $code): bool { everything('an error handler'); return true; });
        ob_start(function (string $output): string { everything('an output callback'); return ''; }, 1);
        for ($i = 0; $i < 7; ++$i) { // then everything() clears
            larder_fetch("unknown $i");
        }
        for ($round = 0; $round < ROUNDS; ++$round) {
            foreach (['1', '0'] as $zeroCopy) {
                ini_set('larder.zero_copy', $zeroCopy);
                foreach ([new Serializing(), new Sleeping(), new Dying(), [new Serializing(), new Dying(), new Sleeping(), str_repeat('x', 5_000)]] as $i => $object) {
                    larder_store("object $i", $object);
                    larder_add("object $i", $object);
                    larder_replace("object $i", $object);
                    $fetched = larder_fetch("object $i");
                    $all = larder_fetch_multiple(["object $i", 'outer', "object $i"]);
                    unset($fetched, $all, $object);
                }
                foreach ([new Failing(), new FailingLater()] as $object) {
                    try { larder_store('failing', [new Dying(), $object]); larder_fetch('failing'); larder_fetch_multiple(['failing', 'outer']); } catch (DomainException) {}
                    try { larder_store_multiple(['outer' => 1, 'failing' => $object]); larder_fetch('failing'); } catch (DomainException) {}
                }
                larder_store(new Name('outer'), 1);
                larder_fetch(new Name('outer'));
                larder_delete(new Name('outer'));
                larder_store_multiple(['outer' => new Serializing(), 'other' => [new Sleeping()]]);
                // PHP's own warnings, from the middle of serialize() and of the conversion of arguments
                larder_store('careless', [new Careless()]);
                larder_increment('outer', 1.5);
                echo larder_fetch('outer') ?? 'x';
            }
        }
        PHP;

    /** Objects of classes that the request that fetches them does not know. */
    public const STORE_UNKNOWN = <<<'PHP'
        for ($i = 0; $i < 7; ++$i) {
            eval("class Unknown_$i { public \$more = 1; }");
            larder_store("unknown $i", new ("Unknown_$i")());
        }
        PHP;

    /** A signal handler makes nested calls at any moment. */
    public const SIGNALS = <<<'PHP'
        class Slow {
            public mixed $more = [1, 2, 3];
            public function __serialize(): array { for ($i = 0; $i < 300; ++$i) { md5((string) $i); } return ['more' => $this->more]; }
            public function __unserialize(array $data): void { for ($i = 0; $i < 300; ++$i) { md5((string) $i); } $this->more = $data['more']; }
        }
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function (): void { everything('a handler of signals'); });
        $me = getmypid();
        $sender = proc_open(['sh', '-c', "while kill -USR1 $me; do sleep 0.001; done"], [], $pipes);
        for ($until = microtime(true) + SECONDS; microtime(true) < $until + (Seen::$calls === [] ? 60 : 0);) {
            larder_store('outer', [new Slow(), new Slow()]);
            larder_fetch('outer');
            larder_store('text', str_repeat('text ', 1_000));
            larder_fetch_multiple(['text', 'outer']);
        }
        proc_terminate($sender);
        PHP;

    /** Reaches the time limit during a call; shutdown functions then call the cache. */
    public const TIMEOUT = <<<'PHP'
        class Endless {
            public function __serialize(): array { if (PLACE) { for (;;) { larder_fetch('text'); } } return [1]; }
            public function __unserialize(array $data): void { for (;;) { larder_store('text', 'text'); } }
        }
        register_shutdown_function(function (): void {
            everything('a shutdown function after a timeout');
            file_put_contents('NOTES', serialize(seen()));
        });
        larder_store('outer', [new Endless()]);
        larder_fetch('outer');
        PHP;
}
