--TEST--
larder_fetch_if() returns a value while its guard has the same version
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

final class Meddler
{
    public static string $code = '';
    public function __unserialize(array $data): void { eval(self::$code); }
    public function __serialize(): array { return []; }
}

final class Leaver
{
    public static string $code = '';
    public function __destruct() { eval(self::$code); }
}

function check(string $what, bool $holds): void
{
    if (!$holds) {
        echo "$what\n";
    }
}

$values = ['null' => null, 'false' => false, 'true' => true, 'integer' => 5, 'float' => 0.5, 'empty' => '', 'character' => 'x', 'string' => 'text', 'no array' => [], 'array' => [1, ['a' => 'b']], 'object' => new ArrayObject([1]), 'long' => str_repeat('long', 50_000)];
foreach (['1', '0'] as $zeroCopy) {
    ini_set('larder.zero_copy', $zeroCopy);
    foreach ($values as $name => $value) {
        larder_store('guard', [7, 'anything']);
        larder_store("guard$name", [7, $value, 'more']);
        for ($i = 0; $i < 5; ++$i) {
            check("$name is not found", same(larder_fetch_if($name, 'guard', 'default'), $value));
        }
        $held = larder_fetch_if($name, 'guard');
        larder_store('guard', [8]);
        check("$name is not void", larder_fetch_if($name, 'guard', 'default') === 'default' && larder_fetch_if($name, 'guard') === null);
        larder_store("guard$name", [8, 'new']);
        check("$name is not the new one", larder_fetch_if($name, 'guard', 'default') === 'new');
        check("$name was changed", same($held, $value));
        larder_delete('guard');
        check("$name is there without a guard", larder_fetch_if($name, 'guard', 'default') === 'default');
    }

    // Names of all lengths, whose hash is made of two.
    foreach ([1, 2, 3, 7, 8, 9, 31, 64, 255, 1_000, 32_766, 32_767, 32_768, 65_000] as $length) {
        foreach ([1, 20, 535] as $first) {
            [$guard, $key] = [random_bytes($first), random_bytes($length)];
            larder_store($guard, [$length]);
            larder_store($guard . $key, [$length, "$first $length"]);
            check("lost: $first $length", larder_fetch_if($key, $guard) === "$first $length");
        }
    }
    larder_store('guard', [7]);
    check('a name too long is found', larder_fetch_if(str_repeat('k', 65_535), 'guard', 'default') === 'default');

    // Both may expire.
    larder_store('short', [1], 0.05);
    larder_store('shortlong', [1, 'long']);
    larder_store('lasting', [1], 60);
    larder_store('lastingshort', [1, 'short'], 0.05);
    larder_store('lastinglong', [1, 'long'], 60);
    for ($i = 0; $i < 10; ++$i) { // what is used often is found on a shorter way
        larder_fetch_if('long', 'short');
        larder_fetch_if('short', 'lasting');
    }
    usleep(60_000);
    check('an expired guard', larder_fetch_if('long', 'short', 'default') === 'default');
    check('an expired value', larder_fetch_if('short', 'lasting', 'default') === 'default');
    check('not expired', larder_fetch_if('long', 'lasting', 'default') === 'long');

    // Other forms of either are misses.
    larder_store('guard', [7]);
    foreach (['integer' => 7, 'text' => 'text', 'empty' => [], 'no version' => [1 => 'value'], 'no value' => [7], 'text for a version' => ['7', 'value'], 'float' => [7.0, 'value'], 'null' => [null, 'value'], 'another' => [8, 'value'], 'names' => ['a' => 7, 'b' => 'value'], 'object' => new ArrayObject([7, 'value']), 'array for a version' => [[7], 'value']] as $name => $form) {
        larder_store("guard$name", $form);
        check("a value of another form: $name", larder_fetch_if($name, 'guard', 'default') === 'default');
        larder_store('other', $form);
        larder_store('otherkey', [$form[0] ?? 7, 'value']);
        $isVersion = is_array($form) && is_int($form[0] ?? null);
        check("a guard of another form: $name", larder_fetch_if('key', 'other', 'default') === ($isVersion ? 'value' : 'default'));
    }
    $version = 7;
    $value = 'value';
    foreach (['the other way round' => [1 => 'value', 0 => 7], 'with holes' => [0 => 7, 1 => 'value', 9 => 1], 'by reference' => [&$version, &$value], 'mixed' => ['a' => 1, 0 => 7, 1 => 'value']] as $name => $form) {
        larder_store("guard$name", $form);
        check("not found: $name", larder_fetch_if($name, 'guard', 'default') === 'value');
    }

    // Code that runs while the guard is read.
    foreach (['larder_store("guardkey", [7, "changed"]);' => 'changed', 'larder_store("guard", [8]);' => 'value', 'larder_delete("guardkey");' => 'default', 'larder_clear();' => 'default', 'throw new Exception("no guard");' => 'default'] as $code => $expected) {
        larder_store('guardkey', [7, 'value']);
        larder_store('guard', [7, new Meddler()]);
        Meddler::$code = $code;
        check("while the guard is read: $code", larder_fetch_if('key', 'guard', 'default') === $expected);
        Meddler::$code = '';
    }

    // Code that runs when the guard is released, between the two fetches, and when the value is.
    $text = str_repeat('value', 50_000); // a page of its own, which is free after larder_clear()
    foreach (['larder_store("guardkey", [7, "changed"]);' => 'changed', 'larder_delete("guard");' => $text, 'larder_delete("guardkey");' => 'default', 'larder_clear();' => 'default', 'throw new Exception("from a destructor");' => 'from a destructor'] as $code => $expected) {
        foreach ([[[7, new Leaver()], [7, $text]], [[7], [7, $text, new Leaver()]]] as $i => [$guard, $copy]) {
            larder_store('guard', $guard);
            larder_store('guardkey', $copy);
            $guard = $copy = null;
            Leaver::$code = 'self::$code = ""; ' . $code;
            try {
                $found = larder_fetch_if('key', 'guard', 'default');
            } catch (Exception $thrown) {
                $found = $thrown->getMessage();
            }
            check("no code ran: $code", Leaver::$code === '');
            larder_store('next', str_repeat('other', 50_000));
            check("released $i: $code", $found === ($i === 1 && $expected !== 'from a destructor' ? $text : $expected));
            Leaver::$code = '';
        }
    }
}

foreach ([fn() => larder_fetch_if('', 'guard'), fn() => larder_fetch_if('k', ''), fn() => larder_fetch_if('k', str_repeat('g', 65_536)), fn() => larder_fetch_if('k'), fn() => larder_fetch_if('k', []), fn() => larder_fetch_if([], 'guard'), fn() => larder_fetch_if('k', 'guard', 1, 2)] as $wrong) {
    try {
        var_dump($wrong());
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}
larder_store('1', [7]);
larder_store('12', [7, 'twelve']);
var_dump(larder_fetch_if(2, 1), larder_fetch_if(default: 'named', guard: 'none', key: 'k'));
?>
--EXPECT--
larder_fetch_if(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_if(): Argument #2 ($guard) must be between 1 and 65535 bytes long
larder_fetch_if(): Argument #2 ($guard) must be between 1 and 65535 bytes long
larder_fetch_if() expects at least 2 arguments, 1 given
larder_fetch_if(): Argument #2 ($guard) must be of type string, array given
larder_fetch_if(): Argument #1 ($key) must be of type string, array given
larder_fetch_if() expects at most 3 arguments, 4 given
string(6) "twelve"
string(5) "named"
