--TEST--
Sessions: a forked child leaves its parent's session alone, and may open it itself when the parent has closed it
--EXTENSIONS--
session
pcntl
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_lock_wait' => '0']);
ob_start();

const READ = 'ob_start(); session_id("one"); session_start(["read_and_close" => true]); echo json_encode($_SESSION), "\n";';

/** Past the output buffer, which children would inherit. */
function say(string $text): void
{
    fwrite(STDOUT, $text);
}

/** Runs a child to its end while the parent has the session open, and lets the parent write. */
function with_child(callable $run): void
{
    session_id('one');
    session_start();
    $_SESSION['by'] = 'parent';
    if (pcntl_fork() === 0) {
        $_SESSION['by'] = 'child';
        $run();
        exit(0);
    }
    pcntl_wait($status);
    say('it is still locked: ' . other_process('ob_start(); session_id("one"); var_dump(!@session_start());'));
    $_SESSION['more'] = ($_SESSION['more'] ?? 0) + 1;
    session_write_close();
    say('afterwards: ' . other_process(READ));
}

ini_set('session.lazy_write', '0');
with_child(fn () => true); // PHP writes and closes it at the end
with_child(fn () => session_write_close());
ini_set('session.lazy_write', '1');
with_child(fn () => $_SESSION['by'] = 'parent');
with_child(fn () => session_destroy());
with_child(fn () => session_regenerate_id(true));
with_child(fn () => var_dump(session_abort(), @session_start()));

$handler = new SessionHandler();
session_set_save_handler($handler, true);
with_child(function () use ($handler) {
    var_dump($handler->write('two', 'n|i:1;'), $handler->write('two', 'n|i:2;'), $handler->read('two'), $handler->destroy('three'));
    var_dump($handler->write('one', 'n|i:3;'), @$handler->destroy('one'));
    ob_flush();
});
say('of the child: ' . other_process('ob_start(); session_id("two"); session_start(["read_and_close" => true]); echo json_encode($_SESSION), "\n";'));

session_start();
if (pcntl_fork() === 0) {
    ini_set('larder.session_lock_wait', '30');
    session_abort();
    session_start();
    $_SESSION['by'] = 'child';
    exit(0);
}
session_write_close();
pcntl_wait($status);
say('opened by the child: ' . other_process(READ));
?>
--EXPECTF--
it is still locked: bool(true)
afterwards: {"by":"parent","more":1}
it is still locked: bool(true)
afterwards: {"by":"parent","more":2}
it is still locked: bool(true)
afterwards: {"by":"parent","more":3}

Warning: session_destroy(): The session is open in the parent of this process. Close it and start it here to destroy it in %s on line %d

Warning: session_destroy(): Session object destruction failed in %s on line %d
it is still locked: bool(true)
afterwards: {"by":"parent","more":4}

Warning: session_regenerate_id(): The session is open in the parent of this process. Close it and start it here to destroy it in %s on line %d

Warning: session_regenerate_id(): Session object destruction failed. %s in %s on line %d
it is still locked: bool(true)
afterwards: {"by":"parent","more":5}
bool(true)
bool(false)
it is still locked: bool(true)
afterwards: {"by":"parent","more":6}
bool(true)
bool(true)
string(6) "n|i:2;"
bool(true)
bool(true)
bool(false)
it is still locked: bool(true)
afterwards: {"by":"parent","more":7}
of the child: {"n":2}
opened by the child: {"by":"child","more":7}
