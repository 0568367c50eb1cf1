--TEST--
A stored string is marked as valid UTF-8 exactly if it is, wherever the first byte above ASCII stands
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '64M']);

$characters = ['', 'é', '€', "\xc3", "\xff", "\xed\xa0\x80", "\xa9"];
$lengths = [...range(8, 80), ...range(250, 270), 519, 520, ...range(4090, 4110), 4351, 4352, 4353, 8191, 8192, 8200, 70_000];
$tried = $valid = $wrong = 0;
foreach ($lengths as $length) {
    $places = array_filter([0, 1, 7, 8, 63, 64, 255, 256, 4094, 4095, 4096, $length - 9, $length - 8, $length - 4, $length - 3], static fn(int $place): bool => $place >= 0 && $place < $length - 2);
    foreach ($places as $place) {
        foreach ($characters as $character) {
            $text = substr_replace(str_repeat('a', $length), $character, $place, strlen($character));
            $keys = ['text', "$length $place"]; // memory that is in the processor's caches is written otherwise
            larder_store_multiple(array_fill_keys($keys, $text));
            larder_store("in $length $place", [$text, 1]);
            $isValid = preg_match('//u', $text); // after the store: it marks the string
            foreach ([...array_map(larder_fetch(...), $keys), larder_fetch("in $length $place")[0]] as $fetched) {
                $wrong += preg_match('//u', $fetched) !== $isValid || $fetched !== $text;
            }
            $valid += (int) $isValid;
            ++$tried;
        }
    }
}
printf("%s tried, %s valid, %d wrong\n", $tried > 5000 ? 'thousands' : $tried, $valid > 2000 ? 'many' : $valid, $wrong);
?>
--EXPECT--
thousands tried, many valid, 0 wrong
