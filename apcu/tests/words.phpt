--TEST--
apc.*: what the words that PHP's scanner of settings replaces (none, null, no, off, yes) do
--FILE--
<?php
require __DIR__ . '/../../extension/tests/support.inc';
own_cache(['apc.enable_cli' => '1']);

apcu_store('a', 1);
foreach (array_keys(ini_get_all('apcu', false)) as $name) {
    foreach (['none', 'null', 'no', 'off', 'yes', ''] as $word) {
        $said = other_process('echo json_encode([ini_get("' . $name . '"), apcu_enabled(), apcu_fetch("a") === 1]);', ['display_startup_errors' => 1, 'html_errors' => 0, $name => $word]);
        $same[$name][preg_replace('/^Warning: (.*?) in Unknown on line 0\s*/s', '$1: ', trim($said))][] = $word === '' ? 'empty' : $word;
    }
    foreach ($same[$name] as $line => $these) {
        echo "$name: ", implode(', ', $these), ": $line\n";
    }
}
?>
--EXPECT--
apc.coredump_unmap: none, null, no, off, empty: ["",true,true]
apc.coredump_unmap: yes: ["1",true,true]
apc.enable_cli: none, null, no, off, empty: ["",false,false]
apc.enable_cli: yes: ["1",true,true]
apc.enabled: none, null, no, off, empty: ["",false,false]
apc.enabled: yes: ["1",true,true]
apc.entries_hint: none, null, no, off, empty: ["",true,true]
apc.entries_hint: yes: ["1",true,true]
apc.gc_ttl: none, null, no, off, empty: ["",true,true]
apc.gc_ttl: yes: ["1",true,true]
apc.mmap_file_mask: none, null, no, off, empty: ["",true,true]
apc.mmap_file_mask: yes: ["1",true,true]
apc.mmap_hugepage_size: none, null, no, off, empty: ["",true,true]
apc.mmap_hugepage_size: yes: ["1",true,true]
apc.preload_path: none, null, no, off, empty: ["",true,true]
apc.preload_path: yes: ["1",true,true]
apc.serializer: none, null, no, off, empty: ["",true,true]
apc.serializer: yes: ["1",true,true]
apc.shm_size: none, null, no, off, empty: ["32M",true,true]
apc.shm_size: yes: PHP Startup: apc.shm_size now uses M/G suffixes, please update your ini files: larder: the segment was made with larder.size=32M (here 8M); set the same here, or larder resize replaces it by an empty one
["1",true,true]
apc.slam_defense: none, null, no, off, empty: ["",true,true]
apc.slam_defense: yes: ["1",true,true]
apc.smart: none, null, no, off, empty: ["",true,true]
apc.smart: yes: ["1",true,true]
apc.ttl: none, null, no, off, empty: ["",true,true]
apc.ttl: yes: ["1",true,true]
apc.use_request_time: none, null, no, off, empty: ["",true,true]
apc.use_request_time: yes: ["1",true,true]
