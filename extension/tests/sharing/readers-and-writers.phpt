--TEST--
Readers never see partial values while writers replace and evict them
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$value = 'function value(int $key, int $version): array {
    $text = str_repeat("$key/$version ", 20 + ($version * 37) % 900);
    return ["key" => $key, "version" => $version, "text" => $text, "sum" => crc32($text), "list" => array_fill(0, $version % 30, "$key/$version")];
}';
$writer = $value . 'for ($i = 0; $i < 6000; $i++) { larder_store("k" . $i % 50, value($i % 50, $i)); if ($i % 1000 === 999) { larder_delete("k7"); } }';
$reader = $value . '
    $wrong = $found = 0;
    for ($i = 0; $found < 20000 && $i < 10000000; $i++) {
        if ($i % 5000 === 0) { ini_set("larder.zero_copy", (string) ($i / 5000 % 2)); }
        $key = ($i * 31) % 50;
        $got = larder_fetch("k$key");
        if ($got !== null) {
            $found++;
            $wrong += (int) ($got["key"] !== $key || crc32($got["text"]) !== $got["sum"] || $got !== value($key, $got["version"]));
            if ($i % 100 === 0) { $kept[$i] = [$got, $key, $got["version"]]; }
        }
    }
    foreach ($kept ?? [] as [$got, $key, $version]) {
        $wrong += (int) ($got !== value($key, $version));
    }
    echo "$wrong wrong" . ($found === 20000 ? "" : ", only $found found") . "\n"; // in one piece
';
larder_store('first', 1); // so that the segment is there when they begin
foreach ([$writer, $writer, $reader, $reader] as $code) {
    $processes[] = proc_open([...php_command(), '-r', $code], [1 => STDOUT], $pipes);
}
array_map(proc_close(...), $processes);
?>
--EXPECT--
0 wrong
0 wrong
