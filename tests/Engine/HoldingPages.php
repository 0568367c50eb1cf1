<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** Scripts that keep fetched values in every place that outlives the script, and check them there. */
final class HoldingPages
{
    /** First lines of all pages: see Pressure for make() and the number of rounds. */
    private const BEGINNING = <<<'PHP'
        <?php
        require 'VALUES';
        define('PATIENT', $_SERVER['QUERY_STRING'] === 'patient');

        /** A fetched value, and the number that it was made from. */
        final class Held {
            public mixed $value;
            public int $n;
            public function __construct(public string $name) {
                while (($this->value = larder_fetch($name)) === null) {
                    larder_store($name, make($name, random_int(1, 1 << 30)));
                }
                $first = is_array($this->value) ? ($this->value['n'] ?? substr($this->value[0], 8)) : $this->value;
                $this->n = (int) $first;
            }
            /** Waits until others have stored a lot, and looks. */
            public function look(string $place): void {
                PATIENT && usleep(MICROSECONDS);
                for ($rounds = rounds() + (PATIENT ? ROUNDS : 1); rounds() < $rounds; usleep(100));
                $this->compare($place, $this->value);
            }
            public function compare(string $place, mixed $value): void {
                note($place, $value === make($this->name, $this->n) && serialize($value) === serialize(make($this->name, $this->n)));
            }
        }
        function held(string $name): mixed { return (new Held($name))->value; }
        function rounds(): int { clearstatcache(); return filesize('COUNT'); }
        function note(string $place, bool $unchanged): void {
            file_put_contents('NOTES', ($unchanged ? 'unchanged: ' : 'CHANGED: ') . $place . "\n", FILE_APPEND);
        }
        register_shutdown_function(fn() => print 'worker ' . getmypid());

        PHP;

    /** Places where PHP can keep a value, with code that puts one there. Each notes its name once. */
    public const PAGES = [
        'superglobals' => <<<'PHP'
            foreach (['_GET', '_SERVER', '_ENV', '_COOKIE', '_FILES'] as $name) {
                $GLOBALS[$name]['held'] = held('array');
                $GLOBALS[$name][held('string')] = held('long string');
            }
            final class Last { public function __construct(private Held $held) {} public function __destruct() {
                $GLOBALS['_GET']['again'] = $_SERVER['held'];
                $this->held->look('superglobals');
            } }
            $GLOBALS['last'] = new Last(new Held('array'));
            PHP,
        'statics' => <<<'PHP'
            final class Statics { public static $held; public static array $all = []; }
            function keep($value) { static $kept; static $all = []; $all[] = $value; $kept = $value; return $all; }
            Statics::$held = new Held('array');
            Statics::$all[held('string')] = held('long string');
            keep(Statics::$held->value); keep(held('list'));
            final class Last { public function __destruct() { Statics::$held->look('statics'); } }
            $last = new Last();
            PHP,
        'constants' => <<<'PHP'
            $held = new Held('array');
            define(held('constant'), $held->value);
            define('OTHER', held('long string'));
            register_shutdown_function(function () use ($held) { $held->look('constants'); $held->compare('constants by name', constant(held('constant'))); });
            PHP,
        'destructors' => <<<'PHP'
            final class Last { public $other; public $own; public function __construct(public Held $held, private string $place) {}
                public function __destruct() { $this->own = $this->held->value; $this->own['more'][] = 1; $this->held->look($this->place); } }
            $global = new Last(new Held('array'), 'destructors: a global');
            $one = new Last(new Held('array'), 'destructors: a cycle');
            $one->other = $one; unset($one);
            set_error_handler([new class (new Held('string')) { public function __construct(private Held $held) {} public function handle() { return true; } public function __destruct() { $this->held->look('destructors: an error handler'); } }, 'handle']);
            PHP,
        'output callback' => <<<'PHP'
            $held = new Held('long string');
            ob_start(function (string $output) use ($held) { $held->look('output callback'); return $output; });
            ob_start(fn(string $output) => $output . substr($held->value, 0, 0));
            echo $held->value === '' ? 'no' : '';
            PHP,
        'session' => <<<'PHP'
            final class Handler implements SessionHandlerInterface {
                public function __construct(private Held $held) {}
                public function open($path, $name): bool { return true; }
                public function close(): bool { $this->held->look('session: close'); return true; }
                public function read($id): string|false { return ''; }
                public function write($id, $data): bool { $this->held->compare('session: write', $_SESSION['held']); note('session: data', str_contains($data, $this->held->value['text'])); return true; }
                public function destroy($id): bool { return true; }
                public function gc($time): int|false { return 0; }
            }
            $held = new Held('array');
            session_set_save_handler(new Handler($held), false);
            session_id(preg_replace('/[^a-z]/', '', held('function')));
            session_start();
            $_SESSION['held'] = $held->value;
            $_SESSION[held('class')] = held('long string');
            PHP,
        'stream wrapper' => <<<'PHP'
            final class Wrapper { public $context; public static Held $held;
                public function stream_open() { return true; }
                public function stream_write($data) { return strlen($data); }
                public function stream_close() { self::$held->look('stream wrapper: close'); } }
            Wrapper::$held = new Held('string');
            stream_wrapper_register(held('scheme'), Wrapper::class);
            stream_wrapper_register('other' . random_int(1, 1 << 30), Wrapper::class);
            $GLOBALS['stream'] = fopen(held('scheme') . '://' . 'path', 'w');
            fwrite($GLOBALS['stream'], held('long string'));
            PHP,
        'stream filter' => <<<'PHP'
            final class Filter extends php_user_filter { public static Held $held;
                public function filter($in, $out, &$consumed, bool $closing): int {
                    while ($bucket = stream_bucket_make_writeable($in)) { $consumed += $bucket->datalen; stream_bucket_append($out, $bucket); }
                    return PSFS_PASS_ON; }
                public function onClose(): void { self::$held->look('stream filter: close'); } }
            Filter::$held = new Held('string');
            stream_filter_register(held('filter'), Filter::class);
            stream_filter_register('other' . random_int(1, 1 << 30), Filter::class);
            $GLOBALS['stream'] = fopen('php://temp', 'w+');
            stream_filter_append($GLOBALS['stream'], held('filter'));
            fwrite($GLOBALS['stream'], held('long string'));
            PHP,
        'names of code' => <<<'PHP'
            class HeldClassOfALongName { public $name; public static function call($value) { return $value; } }
            function held_function_of_a_long_name($value) { return $value; }
            $held = new Held('array');
            $class = held('class');
            $object = new $class();
            $object->{held('constant')} = $held->value;
            $GLOBALS[held('function')] = [held('class'), 'call'];
            class_alias(held('class'), held('constant'));
            $kept = [Closure::fromCallable(held('function')), new ReflectionFunction(held('function')), new ArrayObject($held->value), unserialize(serialize($object))];
            spl_autoload_register(held('function'));
            $included = include held('path');
            $evaluated = eval(held('code'));
            register_shutdown_function(held('function'), held('string'));
            register_shutdown_function(function () use ($held, $object, $kept, $evaluated) {
                $held->look('names of code');
                $held->compare('names of code: a property', $object->{make('constant', 1)});
                $held->compare('names of code: an argument', call_user_func($GLOBALS[make('function', 1)], $held->value));
                note('names of code: evaluated', $evaluated === ['evaluated', 'HeldClassOfALongName', 'a literal of the code']);
            });
            PHP,
        'settings' => <<<'PHP'
            $held = new Held('string');
            ini_set('user_agent', $held->value);
            ini_set('error_prepend_string', held('function'));
            set_include_path(held('path'));
            putenv('HELD=' . held('function')); putenv(held('function') . '=1');
            mb_internal_encoding('UTF-8'); setlocale(LC_CTYPE, held('class'));
            header_register_callback(held('function')); function held_function_of_a_long_name() {}
            header('X-Held: ' . held('class'));
            assert_options(ASSERT_CALLBACK, held('function'));
            stream_context_set_default(['http' => ['user_agent' => $held->value, 'header' => held('list')]]);
            register_shutdown_function(function () use ($held) { $held->look('settings'); $held->compare('settings: ini_get', ini_get('user_agent')); });
            PHP,
        // Values that other parts of PHP keep between requests.
        'kept by others' => <<<'PHP'
            $held = new Held('string');
            note('kept by others: a pattern', preg_match(held('regex'), substr($held->value, strpos($held->value, 's')), $found) === 1 && $found[1] === (string) $held->n);
            preg_replace_callback(held('regex'), fn($found) => '', $held->value);
            if (function_exists('apcu_store') && apcu_enabled()) {
                $name = held('function');
                note('kept by others: APCu', apcu_fetch($name) === false || unserialize(apcu_fetch("$name serialized")) === apcu_fetch($name));
                $array = held('array');
                apcu_store($name, $array); apcu_store("$name serialized", serialize($array));
            } else { note('kept by others: APCu', true); }
            $held->look('kept by others');
            PHP,
        'hot loops' => <<<'PHP'
            $held = new Held('array'); $list = new Held('list');
            function work(array $array, array $list, string $string): int {
                $sum = 0;
                for ($i = 0; $i < 60; ++$i) {
                    foreach ($array['rows'] as $key => $row) { $row['id'] .= $key; $sum += strlen($row['id']) + $row['on']; $array['rows'][$key]['new'] = $i; }
                    foreach ($list as &$element) { $element .= 'x'; $sum += ord($element[$i % 10]); }
                    unset($element);
                    $array[] = $list; sort($list); $list[$i] = $string; $string[$i] = 'y'; $sum += isset($array['text']) + count($array);
                    [$first, , $third] = $list; $array['rows'][0] = [...$array['rows'][1]]; unset($array[5]);
                }
                return $sum;
            }
            function generate(array $array) { try { foreach ($array['rows'] as $row) { yield $row; } } finally { note('hot loops: a generator\'s end', $array['n'] === $GLOBALS['held']->n); } }
            $sums = [work($held->value, $list->value, held('string')), work($held->value, $list->value, held('string'))];
            $generator = generate($held->value); $generator->current(); $generator->next();
            $held->look('hot loops: an array'); $list->look('hot loops: a list');
            PHP,
    ];

    /** @return string the whole script */
    public static function script(string $name, Pressure $pressure, string $notes): string
    {
        return strtr(self::BEGINNING, ['VALUES' => $pressure->values, 'COUNT' => $pressure->count, 'NOTES' => $notes, 'MICROSECONDS' => (string) (Pressure::SECONDS * 1e6), 'ROUNDS' => (string) Pressure::ROUNDS]) . self::PAGES[$name];
    }
}
