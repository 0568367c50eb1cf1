--TEST--
A fetched value is used as a setting
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['include_path', 'user_agent', 'error_prepend_string', 'date.timezone', 'default_charset', 'arg_separator.output', 'highlight.string', 'unserialize_callback_func', 'docref_root', 'assert.callback', 'mail.log', 'session.name'] as $setting) {
    @ini_set($setting, stored($setting === 'date.timezone' ? 'text' : 'word'));
    @ini_set($setting, stored('text'));
    @ini_get($setting);
}
ini_set('precision', stored('number'));
ini_set('memory_limit', -1);
ini_set('error_log', stored('path'));
ini_restore('error_log');
set_include_path(stored('path'));
get_include_path();
ini_parse_quantity(stored('number'));
parse_ini_string(stored('word') . '=' . stored('number'));
ini_get_all();
ini_set('default_charset', 'UTF-8');
error_reporting(E_ALL);
set_time_limit((int) stored('number'));
ini_set('highlight.comment', stored('rows')[0]['name']);
ini_set('larder.zero_copy', '1');

unchanged();
?>
--EXPECT--
unchanged
