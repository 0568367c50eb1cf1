<?php

declare(strict_types=1);

/*
 * A request that holds values in several ways and fetches others until it has used up its share of the pages, again and
 * again: then the engine looks through the memory of the process, in which other threads do the same, and releases what
 * this thread does not use any more. Ends with 1 if a value that is held has changed, or if nothing was released.
 */

const SCANS = 3;
const HELD = 6;

/** Each has a page of its own. */
function textOf(string $key): string
{
    return substr(str_repeat("$key ", 5000), 0, 40_000);
}

function refuse(string $what): never
{
    file_put_contents('php://stderr', "$what\n");
    exit(1);
}

function fetched(string $key): string
{
    larder_store($key, textOf($key));
    $value = larder_fetch($key, textOf($key));

    return is_string($value) ? $value : refuse("$key is no text");
}

/** How often this thread has scanned, or how many pages that has released. */
function pins(string $what): int
{
    $pins = larder_info()['pins'] ?? null;

    return is_array($pins) && is_int($pins[$what]) ? $pins[$what] : refuse('no cache is available');
}

final class Holder
{
    public function __construct(public string $value) {}
}

/** @return array<string, callable(): mixed> what gives a value that is held, by its key */
function hold(int $place): array
{
    $keys = array_map(fn(int $i): string => "held $place $i", range(0, HELD - 1));
    $array = [['deep' => fetched($keys[0])]];
    $object = new Holder(fetched($keys[1]));
    $bound = fetched($keys[2]);
    $generator = (function (string $value): Generator {
        yield '';
        yield $value;
    })(fetched($keys[3]));
    $generator->current();
    $fiber = new Fiber(function () use ($keys): string {
        $value = fetched($keys[4]);
        Fiber::suspend();

        return $value;
    });
    $fiber->start();
    static $static;
    $static = fetched($keys[5]);

    return array_combine($keys, [
        fn(): string => $array[0]['deep'],
        fn(): string => $object->value,
        fn(): string => $bound,
        function () use ($generator): mixed {
            $generator->next();

            return $generator->current();
        },
        function () use ($fiber): mixed {
            $fiber->resume();

            return $fiber->getReturn();
        },
        function () use (&$static): string {
            return $static;
        },
    ]);
}

/** @var list<string> $argv */
$place = (int) $argv[1];
$local = fetched("local $place");
$held = hold($place);
$scans = pins('scans');
$released = pins('released');
for ($call = 0; ; $call++) {
    $key = "other $place " . $call % 60;
    if (fetched($key) !== textOf($key)) {
        refuse("$key has a wrong value");
    }
    // While the other threads use up the share, this one may have pinned nothing that a scan could release.
    if ($call % 500 === 0 && pins('scans') >= $scans + SCANS && pins('released') > $released) {
        break;
    }
    if ($call === 100_000) {
        refuse(pins('scans') - $scans . ' scans have released nothing');
    }
}
foreach ($held as $key => $value) {
    if ($value() !== textOf($key)) {
        refuse("$key has changed while it was held");
    }
}
if ($local !== textOf("local $place")) {
    refuse('the local variable has changed while it was held');
}
exit(0);
