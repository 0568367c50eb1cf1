--TEST--
Sessions: a handler may read and write others than the open one, which stays locked
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_lock_wait' => '0.1']);
ob_start();
const SETTINGS = ['session.save_handler' => 'larder', 'larder.session_lock_wait' => '0.1'];

/** Looks whether a session is there by reading it, as Symfony's StrictSessionHandler does. */
class ReadsAhead extends SessionHandler implements SessionUpdateTimestampHandlerInterface
{
    private ?string $ahead = null;
    private bool $isNew = false;

    public function validateId(string $id): bool
    {
        $this->ahead = $this->read($id);
        $this->isNew = $this->ahead === '';

        return !$this->isNew;
    }

    public function read(string $id): string
    {
        if ($this->ahead !== null) {
            [$ahead, $this->ahead] = [$this->ahead, null];

            return $ahead;
        }

        return (string) parent::read($id);
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        return $this->write($id, $data);
    }
}

/** Reads so many that there is one lock left for all others, besides that of the open one. */
function take_locks(SessionHandler $handler, string $prefix): void
{
    for ($i = 0; $i < 6; $i++) {
        $handler->read("$prefix$i");
    }
}

/** What another process finds in a session, or that it is locked. */
function elsewhere(string $id): string
{
    return other_process("ob_start(); session_id('$id'); echo @session_start() ? json_encode(\$_SESSION) : 'locked', \"\n\";", SETTINGS);
}

echo "-- a cookie with an expired id\n";
session_set_save_handler(new ReadsAhead(), true);
session_id('expiredexpiredexpired');
session_start(['use_strict_mode' => true]);
$id = session_id();
var_dump($id !== 'expiredexpiredexpired');
$_SESSION['n'] = 1;
session_write_close();
session_start(['use_strict_mode' => true]);
var_dump(session_id() === $id, $_SESSION);
session_write_close();
echo elsewhere($id), elsewhere('expiredexpiredexpired');

echo "-- others while one is open\n";
ini_set('session.use_strict_mode', '0');
$handler = new SessionHandler();
session_set_save_handler($handler, true);
session_id('first');
session_start();
$_SESSION['n'] = 1;
foreach (['second', 'third', 'fourth'] as $other) {
    var_dump($handler->read($other));
    echo elsewhere('first');
    var_dump($handler->write($other, 'n|i:2;'));
}
echo elsewhere('second'), elsewhere('third');
$_SESSION['n'] = 3;
session_write_close();
echo elsewhere('first'), elsewhere('fourth');

echo "-- written without being read\n";
session_id('first');
session_start();
var_dump($handler->write('fifth', 'n|i:5;'));
session_abort();
echo elsewhere('first'), elsewhere('fifth');

echo "-- what is no id\n";
session_id('first');
session_start();
foreach (['', 'not an id', str_repeat('z', 257), str_repeat('z', 70_000)] as $id) {
    var_dump(@$handler->write($id, 'n|i:7;'), @$handler->write($id, str_repeat('z', 40)), @$handler->destroy($id));
}
var_dump($handler->write(str_repeat('z', 256), 'n|i:8;'));
session_write_close();
echo elsewhere('first'), elsewhere(str_repeat('z', 256));

echo "-- two ids with one hash\n";
session_id('aEz');
session_start();
$_SESSION['n'] = 9;
var_dump($handler->write('aFY', 'n|i:10;'));
session_write_close();
echo elsewhere('aEz'), elsewhere('aFY');

echo "-- the open one was not read first\n";
final class ReadsAnotherFirst extends SessionHandler
{
    public function read(string $id): string|false
    {
        if ($id === 'open') {
            parent::read('index');
        }

        return parent::read($id);
    }
}
$handler = new ReadsAnotherFirst();
session_set_save_handler($handler, true);
session_id('open');
session_start();
$_SESSION['n'] = 11;
var_dump($handler->read('other'));
echo elsewhere('open'), elsewhere('index'), elsewhere('other');
session_write_close();
echo elsewhere('open');

echo "-- read before its lock gave way\n";
session_id('open');
session_start();
take_locks($handler, 'kept');
$read = $handler->read('second');
$handler->read('third');
echo elsewhere('kept4'), elsewhere('second'), elsewhere('third');
echo other_process('ob_start(); session_id("second"); session_start(); $_SESSION["n"] = "new";', SETTINGS);
var_dump($handler->write('second', 'n|s:3:"old";'));
var_dump($handler->read('second'), $handler->write('second', 'n|s:5:"newer";'));
for ($i = 0; $i < 20; $i++) {
    $handler->read("many$i");
}
var_dump(@$handler->write('many3', 'n|i:1;'), $handler->write('many19', 'n|i:1;'), $handler->write('unread', 'n|i:1;'));
var_dump($handler->destroy('many4'), $handler->write('many4', 'n|i:4;'));
session_write_close();
echo elsewhere('second'), elsewhere('many3'), elsewhere('many19'), elsewhere('many4'), elsewhere('open');

echo "-- renamed\n";
session_id('open');
session_start();
for ($i = $renamed = 0; $i < 40; $i++) {
    $handler->write("old$i", 'n|i:12;');
    $renamed += $handler->write("new$i", $handler->read("old$i")) && $handler->destroy("old$i");
}
var_dump($renamed);
session_write_close();

echo "-- across a regenerated id\n";
session_id('open');
session_start();
$read = $handler->read('second');
session_regenerate_id();
var_dump(@$handler->write('second', $read));
session_write_close();

echo "-- two with one hash, and two others\n";
session_id('bEz');
session_start();
$_SESSION['n'] = 13;
take_locks($handler, 'kept');
foreach (['x', 'bFY', 'y', 'z'] as $other) {
    $handler->read($other);
    echo elsewhere('bEz'), elsewhere($other);
}
session_write_close();
echo elsewhere('bEz');

echo "-- a handler that makes others of the ids, and one that looks for free ones\n";
final class OfTenant extends ReadsAhead
{
    public function read(string $id): string
    {
        return (string) SessionHandler::read("tenant-$id");
    }

    public function validateId(string $id): bool
    {
        return $this->read($id) !== '';
    }

    public function write(string $id, string $data): bool
    {
        return parent::write("tenant-$id", $data);
    }
}
$handler = new OfTenant();
session_set_save_handler($handler, true);
session_id('stale');
session_start(['use_strict_mode' => true]);
$_SESSION['n'] = 14;
take_locks(new SessionHandler(), 'kept');
$handler->read('another');
$handler->read('one-more');
$id = session_id();
session_write_close();
echo elsewhere("tenant-$id");

final class LooksForFree extends SessionHandler implements SessionUpdateTimestampHandlerInterface
{
    private int $tries = 0;

    public function create_sid(): string
    {
        do {
            $id = $this->tries < 2 ? 'bEz' : "free$this->tries";
            $this->tries++;
        } while ($this->read($id) !== '');

        return $id;
    }

    public function validateId(string $id): bool
    {
        return $this->read($id) !== '';
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        return $this->write($id, $data);
    }
}
session_set_save_handler(new LooksForFree(), true);
session_id('stale');
session_start(['use_strict_mode' => true]);
$_SESSION['n'] = 15;
take_locks(new SessionHandler(), 'kept');
session_write_close();
echo session_id(), ' ', elsewhere('free2');
?>
--EXPECTF--
-- a cookie with an expired id
bool(true)
bool(true)
array(1) {
  ["n"]=>
  int(1)
}
{"n":1}
[]
-- others while one is open
string(0) ""
locked
bool(true)
string(0) ""
locked
bool(true)
string(0) ""
locked
bool(true)
locked
locked
{"n":3}
{"n":2}
-- written without being read
bool(true)
{"n":3}
{"n":5}
-- what is no id
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
{"n":3}
{"n":8}
-- two ids with one hash
bool(true)
{"n":9}
{"n":10}
-- the open one was not read first
string(0) ""
locked
locked
locked
{"n":11}
-- read before its lock gave way
locked
{"n":2}
locked

Warning: SessionHandler::write(): This session is not locked any more since another was read or closed, and is not written, as others may have written it. Read it again first in %s on line %d
bool(false)
string(12) "n|s:3:"new";"
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
{"n":"newer"}
[]
{"n":1}
{"n":4}
{"n":11}
-- renamed
int(40)
-- across a regenerated id
bool(false)
-- two with one hash, and two others
locked
locked
locked
locked
locked
locked
locked
locked
{"n":13}
-- a handler that makes others of the ids, and one that looks for free ones
{"n":14}
free2 {"n":15}
