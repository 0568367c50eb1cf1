--TEST--
A script may change only some settings; another segment is another cache; another size joins the segment
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

foreach (['enabled', 'segment', 'path', 'size', 'processes', 'pin_share'] as $name) {
    var_dump(ini_set("larder.$name", '1'));
}
var_dump(ini_set('larder.zero_copy', '0'), ini_set('larder.serializer', 'php'));
$settings = ini_get_all('larder', false);
unset($settings['larder.control']); // of the test build
var_dump($settings);

larder_store('key', 'here');
// another segment is another cache
echo other_process('var_dump(larder_fetch("key"), larder_store("key", "there"), larder_info()["segment"]);', ['larder.segment' => 'another-one']);
// another size is reported, not obeyed, while somebody is attached
echo other_process('ini_set("error_log", "/dev/null"); $info = larder_info(); var_dump(larder_fetch("key"), $info["size"] >> 20, $info["size_asked"] >> 20, $info["reason"]);', ['larder.size' => '32M']);
var_dump(larder_fetch('key'));
echo other_process('var_dump(larder_info()["zero_copy"], larder_fetch("key"));', ['larder.zero_copy' => 0]);
?>
--EXPECTF--
bool(false)

Warning: larder.segment cannot be changed by a script, .user.ini or .htaccess; set it in php.ini, the FPM pool or the virtual host in %s on line %d
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
string(1) "1"
string(4) "auto"
array(13) {
  ["larder.classes"]=>
  string(1) "*"
  ["larder.compact"]=>
  string(1) "0"
  ["larder.default_ttl"]=>
  string(1) "0"
  ["larder.enabled"]=>
  string(1) "1"
  ["larder.path"]=>
  string(%d) "%s"
  ["larder.pin_share"]=>
  string(3) "0.5"
  ["larder.processes"]=>
  string(3) "512"
  ["larder.segment"]=>
  string(7) "default"
  ["larder.serializer"]=>
  string(3) "php"
  ["larder.session_lock_wait"]=>
  string(2) "30"
  ["larder.session_size"]=>
  string(3) "16M"
  ["larder.size"]=>
  string(3) "16M"
  ["larder.zero_copy"]=>
  string(1) "0"
}
NULL
bool(true)
string(11) "another-one"
string(4) "here"
int(16)
int(32)
string(%d) "%s"
string(4) "here"
bool(false)
string(4) "here"
