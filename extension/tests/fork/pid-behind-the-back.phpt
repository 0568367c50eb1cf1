--TEST--
larder_pid() is right in a child that was created without fork handlers
--EXTENSIONS--
ffi
pcntl
--SKIPIF--
<?php
getenv('LARDER_EMULATED') && die('skip QEMU ignores MADV_WIPEONFORK');
try {
    FFI::cdef('int _Fork(void);');
} catch (FFI\Exception) {
    die('skip this C library has no _Fork()');
}
?>
--INI--
ffi.enable=1
--FILE--
<?php
$c = FFI::cdef('int _Fork(void); void _exit(int);');
$parent = larder_pid();
if ($c->_Fork() === 0) {
    echo larder_pid() === getmypid() && larder_pid() !== $parent ? 'its own number' : "its parent's", "\n";
    $c->_exit(0);
}
pcntl_wait($status);
var_dump(larder_pid() === $parent);
?>
--EXPECT--
its own number
bool(true)
