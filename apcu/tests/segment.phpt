--TEST--
The module's keys are in a segment of their own, whose size is apc.shm_size
--INI--
apc.enable_cli=1
apc.shm_size=16M
larder.segment=segment
--FILE--
<?php
apcu_clear_cache();
larder_clear();
apcu_store('k', 'apcu');
larder_store('k', 'larder');
var_dump(apcu_fetch('k'), larder_fetch('k'));
apcu_clear_cache();
var_dump(apcu_fetch('k'), larder_fetch('k'));
apcu_store('k', 'apcu');
larder_clear();
var_dump(apcu_fetch('k'), larder_fetch('k'));

$memory = apcu_sma_info();
var_dump($memory['seg_size'] > 12 << 20, $memory['seg_size'] < 16 << 20, $memory['avail_mem'] <= $memory['seg_size'], $memory['num_seg']);
var_dump($memory['block_lists'][0][0]['size'] === (int) $memory['avail_mem']);
$info = apcu_cache_info();
var_dump(array_keys($info), count($info['cache_list']), array_keys($info['cache_list'][0]), $info['num_entries'], $info['expunges'], abs($info['start_time'] - time()) < 600);

// full: a little is evicted, and what eviction would free is available
for ($i = 0; $i < 40_000; $i++) {
    apcu_store("fill$i", str_repeat('x', 1000)) or die("refused\n");
}
$memory = apcu_sma_info(true);
$info = apcu_cache_info(true);
var_dump($memory['avail_mem'] > 0.8 * $memory['seg_size'], $info['num_entries'] > 8_000, $info['mem_size'] > 0.7 * $memory['seg_size'], $info['mem_size'] <= $memory['seg_size'], $info['expunges']);
var_dump(apcu_store('huge', str_repeat('x', 4 << 20)), apcu_exists('fill39999'));
apcu_clear_cache();

// a host whose segment is called as the module's sees nothing of it
apcu_store('secret', 1);
require __DIR__ . '/../../extension/tests/support.inc';
echo other_process('var_dump(larder_fetch("secret"), larder_store("mine", 2));', ['larder.segment' => 'segment.apcu']);
var_dump(apcu_fetch('mine'), apcu_fetch('secret'));
apcu_clear_cache();
?>
--EXPECT--
string(4) "apcu"
string(6) "larder"
bool(false)
string(6) "larder"
string(4) "apcu"
NULL
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
array(15) {
  [0]=>
  string(9) "num_slots"
  [1]=>
  string(3) "ttl"
  [2]=>
  string(8) "num_hits"
  [3]=>
  string(10) "num_misses"
  [4]=>
  string(11) "num_inserts"
  [5]=>
  string(11) "num_entries"
  [6]=>
  string(8) "cleanups"
  [7]=>
  string(16) "defragmentations"
  [8]=>
  string(8) "expunges"
  [9]=>
  string(10) "start_time"
  [10]=>
  string(8) "mem_size"
  [11]=>
  string(11) "memory_type"
  [12]=>
  string(10) "cache_list"
  [13]=>
  string(12) "deleted_list"
  [14]=>
  string(17) "slot_distribution"
}
int(1)
array(9) {
  [0]=>
  string(4) "info"
  [1]=>
  string(3) "ttl"
  [2]=>
  string(8) "num_hits"
  [3]=>
  string(5) "mtime"
  [4]=>
  string(13) "creation_time"
  [5]=>
  string(13) "deletion_time"
  [6]=>
  string(11) "access_time"
  [7]=>
  string(9) "ref_count"
  [8]=>
  string(8) "mem_size"
}
int(1)
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
bool(false)
bool(true)
NULL
bool(true)
bool(false)
int(1)
