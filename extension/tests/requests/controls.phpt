--TEST--
The tests detect values of refcount 1, strings flagged as permanent and pins dropped too early
--SKIPIF--
<?php if (ini_get('larder.control') === false) { die('skip needs the build whose values cannot be read after their request'); } ?>
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache();

$snippets = snippets();
$bad = fn (string $answer): bool => $answer !== "unchanged\n";

$noticed = 0;
foreach ($snippets as $name => $snippet) {
    $noticed += (int) (count(array_filter(twice($name, $snippet, ['larder.control' => 1]), $bad)) > 0);
}
echo 'refcount 1: ', $noticed >= 25 ? 'noticed by most' : "noticed by $noticed", "\n";

// the pattern of the first request stays in PHP's own memory; the second one asks for it before it uses the cache
$pattern = ['<?php
    if (!@mkdir(__DIR__ . "/asked")) {
        preg_match(implode(["/q", "u/"]), "quick");
    }
    require ' . var_export(dirname(__DIR__) . '/anything.inc', true) . ';
    larder_store("short pattern", implode(["/q", "u/"]));
    preg_match(stored("short pattern"), stored("text"));
    unchanged();
', [], []];
[$first, $second] = twice('pattern', $pattern);
echo 'patterns: ', $bad($first) || $bad($second) ? $first . $second : "unchanged twice\n";
rmdir(getenv('LARDER_TEST_CACHE') . '/asked');
[$first, $second] = twice('pattern', $pattern, ['larder.control' => 2]);
echo 'permanent strings: ', $bad($first) ? $first : ($bad($second) ? 'noticed in the second request' : 'not noticed'), "\n";

$held = ['<?php
    require ' . var_export(dirname(__DIR__) . '/anything.inc', true) . ';
    $rows = stored("rows");
    for ($i = 0; $i < 6000; $i++) {
        if ($i % 2000 === 1999) {
            usleep(150000); // what is held is counted again every 100 ms
        }
        larder_store("other $i", [str_repeat("$i ", 2000), [$i, "$i"]]);
        larder_fetch("other $i");
    }
    if (larder_info()["pins"]["mine"] === 0 && ini_get("larder.control") === "0") {
        echo "nothing was held\n";
    }
    echo same($rows, sources()["rows"]) ? "unchanged\n" : "changed\n";
', [], []];
[$first] = twice('held', $held, ['larder.segment' => 'held', 'larder.size' => '8M']);
echo 'pins held: ', $bad($first) ? $first : "unchanged\n";
[$first] = twice('held', $held, ['larder.segment' => 'dropped', 'larder.size' => '8M', 'larder.control' => 3]);
echo 'pins dropped: ', $bad($first) ? "noticed\n" : "not noticed\n";
?>
--EXPECT--
refcount 1: noticed by most
patterns: unchanged twice
permanent strings: noticed in the second request
pins held: unchanged
pins dropped: noticed
