--TEST--
An iterator gives no value that nobody has stored, beside a writer that deletes and stores
--EXTENSIONS--
pcntl
posix
--INI--
apc.enable_cli=1
larder.segment=iterator-beside-a-writer
--FILE--
<?php
apcu_clear_cache();
apcu_store('k', [1]);
$writer = pcntl_fork();
if ($writer === 0) {
    for (;;) {
        apcu_delete('k');
        apcu_store('k', [1]);
    }
}
$items = $wrong = 0;
for ($end = hrtime(true) + 1_500_000_000; hrtime(true) < $end || $items < 1000;) {
    for ($i = 0; $i < 100; $i++) {
        foreach (new APCUIterator(['k'], APC_ITER_VALUE) as $item) {
            $items++;
            $wrong += $item['value'] !== [1];
        }
    }
}
posix_kill($writer, 9);
pcntl_waitpid($writer, $status);
var_dump($wrong);
?>
--EXPECT--
int(0)
